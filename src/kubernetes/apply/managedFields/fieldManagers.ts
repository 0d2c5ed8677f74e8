import { steeringManager } from "../../steering/steeringNames.ts"

/**
 * The field managers of the control plane's processes: the first word of each upstream process' user agent.
 * Source: staging/src/k8s.io/client-go/rest/config.go (DefaultKubernetesUserAgent), the binaries in cmd/.
 */
export const controllerManager = "kube-controller-manager"
export const kubeletManager = "kubelet"
export const schedulerManager = "kube-scheduler"
export const apiServerManager = "kube-apiserver"
/** The manager of writes by the library's user and by injected faults. */
export const libraryManager = "charthouse"

const managerByComponent = new Map([
  ["charthouse", libraryManager],
  ["default-scheduler", schedulerManager],
  ["kubelet", kubeletManager],
  [steeringManager, steeringManager]
])

/** `component` is the one in an Event's source: `kubelet`, `deployment-controller`. */
export const managerOfComponent = (component: string): string =>
  managerByComponent.get(component) ?? controllerManager
