import { steeringManager } from "../../steering/steeringNames.ts"

/**
 * A process' field manager is the first word of its user agent. Source:
 * client-go/rest/config.go (DefaultKubernetesUserAgent).
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

/** `component`: an Event's source, such as `kubelet`. */
export const managerOfComponent = (component: string): string =>
  managerByComponent.get(component) ?? controllerManager
