package deploy

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// manifest is a file with the objects that it holds.
type manifest struct {
	file     string
	services []*corev1.Service
	secrets  []*corev1.Secret
	claims   []*corev1.PersistentVolumeClaim
	sets     []*appsv1.StatefulSet
	jobs     []*batchv1.Job
	policies []*networkingv1.NetworkPolicy
	accounts []*corev1.ServiceAccount
}

// manifests reads the rendered charts and the plain manifests. Unknown and doubled fields are errors.
func manifests(t *testing.T) []*manifest {
	t.Helper()
	var files []string
	for _, pattern := range []string{"golden/*.yaml", "../../deploy/kubernetes/*.yaml"} {
		f, err := filepath.Glob(pattern)
		if err != nil || len(f) == 0 {
			t.Fatalf("there are no files %s (%v)", pattern, err)
		}
		files = append(files, f...)
	}
	var all []*manifest
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		m, err := decode(f, data)
		if err != nil {
			t.Errorf("%s: %v", f, err)
			continue
		}
		all = append(all, m)
	}
	return all
}

func decode(file string, data []byte) (*manifest, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		corev1.AddToScheme, appsv1.AddToScheme, batchv1.AddToScheme, networkingv1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	strict := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{Yaml: true, Strict: true})
	m := &manifest{file: file}
	docs := yaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(data)))
	buf := make([]byte, 1<<20)
	for n := 1; ; n++ {
		size, err := docs.Read(buf)
		if err == io.EOF {
			return m, nil
		}
		if err != nil {
			return nil, err
		}
		if blank(buf[:size]) {
			continue
		}
		object, _, err := strict.Decode(buf[:size], nil, nil)
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", n, err)
		}
		if err := m.add(object); err != nil {
			return nil, err
		}
	}
}

// blank reports whether a document holds nothing but comments.
func blank(doc []byte) bool {
	for line := range strings.Lines(string(doc)) {
		line = strings.TrimSpace(line)
		if line != "" && line != "---" && !strings.HasPrefix(line, "#") {
			return false
		}
	}
	return true
}

func (m *manifest) add(object runtime.Object) error {
	switch o := object.(type) {
	case *corev1.Service:
		m.services = append(m.services, o)
	case *corev1.Secret:
		m.secrets = append(m.secrets, o)
	case *corev1.PersistentVolumeClaim:
		m.claims = append(m.claims, o)
	case *appsv1.StatefulSet:
		m.sets = append(m.sets, o)
	case *batchv1.Job:
		m.jobs = append(m.jobs, o)
	case *networkingv1.NetworkPolicy:
		m.policies = append(m.policies, o)
	case *corev1.ServiceAccount:
		m.accounts = append(m.accounts, o)
	default:
		return fmt.Errorf("an object of type %T, which no test knows", o)
	}
	return nil
}

// templates are the pods of a manifest by the name of what makes them.
func (m *manifest) templates() map[string]corev1.PodTemplateSpec {
	pods := make(map[string]corev1.PodTemplateSpec)
	for _, s := range m.sets {
		pods["StatefulSet "+s.Name] = s.Spec.Template
	}
	for _, j := range m.jobs {
		pods["Job "+j.Name] = j.Spec.Template
	}
	return pods
}

// TestStrictDecoding shows that the tests would see a misspelt field.
func TestStrictDecoding(t *testing.T) {
	for _, field := range []string{"replica: 1", "replicas: many", "replicas: 1\n  replicas: 2"} {
		doc := "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: x}\nspec:\n  " + field + "\n"
		if _, err := decode("x", []byte(doc)); err == nil {
			t.Errorf("%q is accepted", field)
		}
	}
}

func TestManifestsDecode(t *testing.T) {
	objects := 0
	for _, m := range manifests(t) {
		objects += len(m.services) + len(m.secrets) + len(m.claims) + len(m.sets) + len(m.jobs) + len(m.policies) + len(m.accounts)
	}
	t.Logf("%d objects", objects)
	if objects == 0 {
		t.Error("no objects")
	}
}
