{{/* What is the same in the pods of clients and of benchmarks. */}}
{{- define "warp.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with include "warp.serviceAccount" . }}
serviceAccountName: {{ . }}
{{- end }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
  {{- with .Values.sysctls }}
  sysctls:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{- define "warp.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* Where pods run: the values of .own, and for clients apart from each other. */}}
{{- define "warp.placement" -}}
{{- with .own.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .own.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- $affinity := deepCopy .own.affinity }}
{{- with .apart }}
{{- $term := dict "topologyKey" "kubernetes.io/hostname" "labelSelector" (dict "matchLabels" .labels) }}
{{- if eq .how "required" }}
{{- $_ := set $affinity "podAntiAffinity" (dict "requiredDuringSchedulingIgnoredDuringExecution" (list $term)) }}
{{- else if eq .how "preferred" }}
{{- $_ := set $affinity "podAntiAffinity" (dict "preferredDuringSchedulingIgnoredDuringExecution" (list (dict "weight" 100 "podAffinityTerm" $term))) }}
{{- end }}
{{- end }}
{{- with $affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .own.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
terminationGracePeriodSeconds: {{ .own.terminationGracePeriodSeconds }}
{{- end -}}

{{- define "warp.mounts" -}}
- name: token
  mountPath: /etc/warp
  readOnly: true
{{- if .Values.tls.existingSecret }}
- name: tls
  mountPath: /etc/warp-tls
  readOnly: true
{{- end }}
- name: tmp
  mountPath: /tmp
{{- end -}}

{{- define "warp.volumes" -}}
- name: token
  secret:
    secretName: {{ include "warp.tokenSecret" . }}
    defaultMode: 0440
    items:
      - key: token
        path: token
{{- if .Values.tls.existingSecret }}
- name: tls
  secret:
    secretName: {{ .Values.tls.existingSecret }}
    defaultMode: 0440
{{- end }}
- name: tmp
  emptyDir: {}
{{- end -}}

{{/* Keys and the store are known to the coordinator alone; clients get them with the plan. */}}
{{- define "warp.storeEnv" -}}
- name: WARP_HOST
  value: {{ required "s3.host: a benchmark needs a store to measure; set it to host:port or a URL" .Values.s3.host | quote }}
{{- if .Values.s3.tls }}
- name: WARP_TLS
  value: "true"
{{- end }}
{{- with .Values.s3.region }}
- name: WARP_REGION
  value: {{ . | quote }}
{{- end }}
{{- if not .Values.s3.useRole }}
- name: WARP_ACCESS_KEY
  valueFrom:
    secretKeyRef:
      name: {{ include "warp.s3Secret" . }}
      key: access-key
- name: WARP_SECRET_KEY
  valueFrom:
    secretKeyRef:
      name: {{ include "warp.s3Secret" . }}
      key: secret-key
- name: WARP_SESSION_TOKEN
  valueFrom:
    secretKeyRef:
      name: {{ include "warp.s3Secret" . }}
      key: session-token
      optional: true
{{- else if or .Values.s3.existingSecret .Values.s3.accessKey .Values.s3.secretKey }}
{{- fail "s3.useRole: the keys come from the role; leave out s3.existingSecret, s3.accessKey and s3.secretKey" }}
{{- end }}
{{- end -}}
