{{/* The pod of a benchmark. The image of warp has no shell; where one is needed, busybox is copied next to it. */}}

{{/* A script of files/, indented by spaces. */}}
{{- define "warp.file" -}}
{{ (index . 0).Files.Get (printf "files/%s" (index . 1)) | replace "\t" "  " | trim }}
{{- end -}}

{{/* A container that makes /tools/busybox. */}}
{{- define "warp.toolsContainer" -}}
- name: tools
  image: {{ .Values.helperImage }}
  command: [/bin/busybox, cp, /bin/busybox, /tools/busybox]
  securityContext:
    {{- include "warp.containerSecurity" . | nindent 4 }}
  volumeMounts:
    - name: tools
      mountPath: /tools
{{- end -}}

{{/* A container that waits for the clients of the StatefulSet. */}}
{{- define "warp.waitContainer" -}}
- name: wait
  image: {{ .Values.helperImage }}
  command: [/bin/busybox, sh, -c]
  args:
    - |
      busybox=/bin/busybox
      {{- include "warp.file" (list . "wait.sh") | nindent 6 }}
      {{- include "warp.waitCall" . | nindent 6 }}
  securityContext:
    {{- include "warp.containerSecurity" . | nindent 4 }}
{{- end -}}

{{- define "warp.waitCall" -}}
{{- if eq .Values.mode "indexedJob" -}}
wait_for {{ .Values.benchmark.waitSeconds }} {{ .Values.clients.count }} 1 {{ include "warp.job" . }} {{ include "warp.fullname" . }}-clients
{{- else -}}
wait_for {{ .Values.benchmark.waitSeconds }} {{ .Values.clients.count }} 0 {{ include "warp.fullname" . }}-client {{ include "warp.fullname" . }}-clients
{{- end -}}
{{- end -}}

{{/* The script around warp, for which "$@" is the command line of the benchmark. */}}
{{- define "warp.script" -}}
busybox=/tools/busybox
{{- if eq .Values.mode "indexedJob" }}
if [ "$JOB_COMPLETION_INDEX" -ne 0 ]; then
  cd /data
  exec /warp client {{ include "warp.secretArgs" . | fromYamlArray | join " " }} :7761
fi
{{ include "warp.file" (list . "wait.sh") }}
{{ include "warp.waitCall" . }}
{{- end }}
{{- if .Values.results.upload.enabled }}
{{ include "warp.file" (list . "keep.sh") }}
keep /warp "$@"
{{- else }}
exec /warp "$@"
{{- end }}
{{- end -}}

{{- define "warp.benchmarkContainer" -}}
- name: benchmark
  image: {{ include "warp.image" . }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  {{- if or (eq .Values.mode "indexedJob") .Values.results.upload.enabled }}
  command: [/tools/busybox, sh, -c]
  args:
    - |
      {{- include "warp.script" . | nindent 6 }}
    - warp
    {{- include "warp.benchmarkArgs" . | nindent 4 }}
  {{- else }}
  args:
    {{- include "warp.benchmarkArgs" . | nindent 4 }}
  {{- end }}
  workingDir: /results
  env:
    {{- include "warp.storeEnv" . | nindent 4 }}
  {{- if eq .Values.mode "indexedJob" }}
  ports:
    - name: warp
      containerPort: 7761
  {{- end }}
  {{- with ternary .Values.clients.resources .Values.benchmark.resources (eq .Values.mode "indexedJob") }}
  resources:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    {{- include "warp.containerSecurity" . | nindent 4 }}
  volumeMounts:
    {{- include "warp.mounts" . | nindent 4 }}
    {{- if eq .Values.mode "indexedJob" }}
    - name: data
      mountPath: /data
    {{- end }}
    - name: results
      mountPath: /results
    {{- if or (eq .Values.mode "indexedJob") .Values.results.upload.enabled }}
    - name: tools
      mountPath: /tools
      readOnly: true
    {{- end }}
{{- end -}}

{{- define "warp.uploadContainer" -}}
- name: upload
  image: {{ required "results.upload.image: which image has the program that uploads?" .Values.results.upload.image }}
  command: [/tools/busybox, sh, -c]
  args:
    - |
      {{- include "warp.file" (list . "upload.sh") | nindent 6 }}
    - upload
    {{- if not .Values.results.upload.command }}
    {{- fail "results.upload.command: which command uploads /results?" }}
    {{- end }}
    {{- toYaml .Values.results.upload.command | nindent 4 }}
  env:
    - name: HOME
      value: /tmp
  {{- with .Values.results.upload.envFromSecret }}
  envFrom:
    - secretRef:
        name: {{ . }}
  {{- end }}
  securityContext:
    {{- include "warp.containerSecurity" . | nindent 4 }}
  volumeMounts:
    - name: results
      mountPath: /results
    - name: tmp
      mountPath: /tmp
    - name: tools
      mountPath: /tools
      readOnly: true
{{- end -}}
