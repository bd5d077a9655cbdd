package deploy

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// eachContainer calls check for all containers of all manifests.
func eachContainer(t *testing.T, check func(t *testing.T, pod corev1.PodSpec, c corev1.Container)) {
	for _, m := range manifests(t) {
		for owner, pod := range m.templates() {
			for _, c := range append(slices.Clone(pod.Spec.InitContainers), pod.Spec.Containers...) {
				t.Run(fmt.Sprintf("%s/%s/%s", m.file, owner, c.Name), func(t *testing.T) { check(t, pod.Spec, c) })
			}
		}
	}
}

func TestContainersAreLocked(t *testing.T) {
	eachContainer(t, func(t *testing.T, pod corev1.PodSpec, c corev1.Container) {
		p, s := pod.SecurityContext, c.SecurityContext
		if !*p.RunAsNonRoot || *p.RunAsUser == 0 || p.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
			t.Errorf("the pod is not locked: %v", p)
		}
		if *pod.AutomountServiceAccountToken {
			t.Error("the pod gets a token of the cluster's API, which it does not need")
		}
		if s == nil || *s.AllowPrivilegeEscalation || !*s.ReadOnlyRootFilesystem || !slices.Equal(s.Capabilities.Drop, []corev1.Capability{"ALL"}) {
			t.Errorf("the container is not locked: %v", s)
		}
	})
}

func TestMountsHaveVolumes(t *testing.T) {
	used := make(map[string]bool)
	eachContainer(t, func(t *testing.T, pod corev1.PodSpec, c corev1.Container) {
		for _, m := range c.VolumeMounts {
			used[m.Name] = true
			if !slices.ContainsFunc(pod.Volumes, func(v corev1.Volume) bool { return v.Name == m.Name }) {
				t.Errorf("%s is mounted, but no volume", m.Name)
			}
		}
		for _, v := range pod.Volumes {
			if !mounted(pod, v.Name) {
				t.Errorf("volume %s is not mounted by any container", v.Name)
			}
		}
		if c.WorkingDir != "" && !slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == c.WorkingDir }) {
			t.Errorf("the working directory %s is not writable", c.WorkingDir)
		}
	})
}

func mounted(pod corev1.PodSpec, volume string) bool {
	for _, c := range append(slices.Clone(pod.InitContainers), pod.Containers...) {
		if slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return m.Name == volume }) {
			return true
		}
	}
	return false
}

// Kubernetes replaces $(NAME) in arguments, and makes $$ one dollar; scripts must not contain what it would take for these.
func TestArgumentsAreLeftAlone(t *testing.T) {
	reference := regexp.MustCompile(`\$\$|\$\([A-Za-z_][A-Za-z0-9_.-]*\)`)
	eachContainer(t, func(t *testing.T, _ corev1.PodSpec, c corev1.Container) {
		for _, arg := range append(slices.Clone(c.Command), c.Args...) {
			if found := reference.FindString(arg); found != "" {
				t.Errorf("Kubernetes would change %q", found)
			}
		}
	})
}

func TestSecretsComeFromSecrets(t *testing.T) {
	eachContainer(t, func(t *testing.T, pod corev1.PodSpec, c corev1.Container) {
		for _, arg := range append(slices.Clone(c.Command), c.Args...) {
			if strings.Contains(arg, "access-key") || strings.Contains(arg, "secret-key") || strings.Contains(arg, "WARP_TOKEN") {
				t.Errorf("a secret is an argument: %q", arg)
			}
		}
		for _, e := range c.Env {
			secret := strings.HasSuffix(e.Name, "_KEY") || strings.HasSuffix(e.Name, "_TOKEN")
			if secret && (e.Value != "" || e.ValueFrom == nil || e.ValueFrom.SecretKeyRef == nil) {
				t.Errorf("%s is not taken from a Secret", e.Name)
			}
		}
		for _, v := range pod.Volumes {
			if v.Secret != nil && (v.Secret.DefaultMode == nil || *v.Secret.DefaultMode&0o007 != 0) {
				t.Errorf("everybody may read the Secret %s", v.Name)
			}
		}
	})
}

// A benchmark gets both keys from a Secret; or, with a role, neither, and its account has the role.
func TestKeysOrRole(t *testing.T) {
	roles := 0
	for _, m := range manifests(t) {
		for owner, pod := range m.templates() {
			for _, c := range append(slices.Clone(pod.Spec.InitContainers), pod.Spec.Containers...) {
				if c.Name != "benchmark" {
					continue
				}
				keys := 0
				for _, e := range c.Env {
					if strings.HasPrefix(e.Name, "WARP_") && (strings.HasSuffix(e.Name, "_KEY") || strings.HasSuffix(e.Name, "_TOKEN")) {
						keys++
					}
				}
				role := slices.ContainsFunc(m.accounts, func(a *corev1.ServiceAccount) bool {
					return a.Name == pod.Spec.ServiceAccountName && a.Annotations["eks.amazonaws.com/role-arn"] != ""
				})
				if role {
					roles++
				}
				if role != (keys == 0) || !role && keys != 3 {
					t.Errorf("%s: %s: %d variables with keys; has a role: %v", m.file, owner, keys, role)
				}
			}
		}
	}
	if roles == 0 {
		t.Error("no benchmark has a role")
	}
}

// Secrets, claims and accounts that a release makes are those that its pods use.
func TestReferencesResolve(t *testing.T) {
	for _, m := range manifests(t) {
		var names []string
		for _, pod := range m.templates() {
			names = append(names, pod.Spec.ServiceAccountName)
			for _, v := range pod.Spec.Volumes {
				if v.Secret != nil {
					names = append(names, v.Secret.SecretName)
				}
				if v.PersistentVolumeClaim != nil {
					names = append(names, v.PersistentVolumeClaim.ClaimName)
				}
			}
			for _, c := range append(slices.Clone(pod.Spec.InitContainers), pod.Spec.Containers...) {
				for _, e := range c.Env {
					if e.ValueFrom != nil {
						names = append(names, e.ValueFrom.SecretKeyRef.Name)
					}
				}
			}
		}
		for _, s := range m.secrets {
			if !slices.Contains(names, s.Name) {
				t.Errorf("%s: nothing uses the Secret %s", m.file, s.Name)
			}
		}
		for _, a := range m.accounts {
			if !slices.Contains(names, a.Name) {
				t.Errorf("%s: nothing uses the account %s", m.file, a.Name)
			}
		}
		for _, c := range m.claims {
			if !slices.Contains(names, c.Name) {
				t.Errorf("%s: nothing uses the claim %s", m.file, c.Name)
			}
		}
	}
}
