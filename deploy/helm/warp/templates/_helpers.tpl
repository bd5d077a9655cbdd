{{/* Names are cut so that those derived from them, with the number of a pod, are valid host names. */}}
{{- define "warp.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* A Job cannot be changed: each revision of the release has its own. */}}
{{- define "warp.job" -}}
{{ include "warp.fullname" . }}-run-{{ .Release.Revision }}
{{- end -}}

{{- define "warp.selectorLabels" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "warp.labels" -}}
{{ include "warp.selectorLabels" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "warp.tokenSecret" -}}
{{ default (printf "%s-token" (include "warp.fullname" .)) .Values.token.existingSecret }}
{{- end -}}

{{- define "warp.s3Secret" -}}
{{ default (printf "%s-s3" (include "warp.fullname" .)) .Values.s3.existingSecret }}
{{- end -}}

{{/* Empty: that of the namespace. */}}
{{- define "warp.serviceAccount" -}}
{{ default (ternary (include "warp.fullname" .) "" .Values.serviceAccount.create) .Values.serviceAccount.name }}
{{- end -}}

{{- define "warp.resultsClaim" -}}
{{ default (printf "%s-results" (include "warp.fullname" .)) .Values.results.pvc.existingClaim }}
{{- end -}}

{{- define "warp.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag }}
{{- end -}}

{{/* Clients as one range: of the StatefulSet from 0, of an indexed Job from 1 because 0 coordinates. */}}
{{- define "warp.clientRange" -}}
{{- if eq .Values.mode "indexedJob" -}}
{{ include "warp.job" . }}-{1...{{ .Values.clients.count }}}.{{ include "warp.fullname" . }}-clients:7761
{{- else -}}
{{ include "warp.fullname" . }}-client-{0...{{ sub .Values.clients.count 1 }}}.{{ include "warp.fullname" . }}-clients:7761
{{- end -}}
{{- end -}}

{{/* Flags that coordinator and clients share. */}}
{{- define "warp.secretArgs" -}}
- --token-file=/etc/warp/token
{{- if .Values.tls.existingSecret }}
- --tls-cert=/etc/warp-tls/tls.crt
- --tls-key=/etc/warp-tls/tls.key
- --tls-ca=/etc/warp-tls/ca.crt
{{- end }}
{{- end -}}

{{/* All of the benchmark's command line after the name of the program. */}}
{{- define "warp.benchmarkArgs" -}}
- {{ .Values.benchmark.command }}
- {{ printf "--warp-client=%s" (include "warp.clientRange" .) | quote }}
{{ include "warp.secretArgs" . }}
{{- range $name, $value := .Values.benchmark.flags }}
- {{ printf "--%s=%s" $name (include "warp.plain" $value) | quote }}
{{- end }}
{{- end -}}

{{/* A number of a values file may have become a floating point number, which would be printed as 1e+06. */}}
{{- define "warp.plain" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) -}}
{{ printf "%.0f" . }}
{{- else -}}
{{ toString . }}
{{- end -}}
{{- end -}}
