/**
 * In whose name the parts of a control plane write: the first word of what each process of upstream's calls itself, by
 * which the API server names it in `metadata.managedFields`.
 *
 * Source: staging/src/k8s.io/client-go/rest/config.go (DefaultKubernetesUserAgent), the binaries in cmd/.
 */
export const controllerManager = "kube-controller-manager"
export const kubelet = "kubelet"
export const scheduler = "kube-scheduler"
export const apiServer = "kube-apiserver"
/** Programs, and the faults of a cluster. */
export const library = "charthouse"

const processes = new Map([
  ["charthouse", library],
  ["default-scheduler", scheduler],
  ["kubelet", kubelet]
])

/** Whose process the component of an event is part of. */
export const managerOfComponent = (component: string): string => processes.get(component) ?? controllerManager
