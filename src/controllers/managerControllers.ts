import { nearestWord } from "../kubernetes/meta/text/nearestWord.ts"
import type { ControllerName } from "../runtime/reconciler/controllerTurnOrder.ts"

/**
 * The controllers of kube-controller-manager, with the aliases of older releases.
 * Source: cmd/kube-controller-manager/names/controller_names.go (KCMControllerAliases).
 */
const aliasByController = {
  "bootstrap-signer-controller": "bootstrapsigner",
  "certificatesigningrequest-approving-controller": "csrapproving",
  "certificatesigningrequest-cleaner-controller": "csrcleaner",
  "certificatesigningrequest-signing-controller": "csrsigning",
  "cloud-node-lifecycle-controller": "cloud-node-lifecycle",
  "clusterrole-aggregation-controller": "clusterrole-aggregation",
  "cronjob-controller": "cronjob",
  "daemonset-controller": "daemonset",
  "deployment-controller": "deployment",
  "device-taint-eviction-controller": undefined,
  "disruption-controller": "disruption",
  "endpoints-controller": "endpoint",
  "endpointslice-controller": "endpointslice",
  "endpointslice-mirroring-controller": "endpointslicemirroring",
  "ephemeral-volume-controller": "ephemeral-volume",
  "garbage-collector-controller": "garbagecollector",
  "horizontal-pod-autoscaler-controller": "horizontalpodautoscaling",
  "job-controller": "job",
  "kube-apiserver-serving-clustertrustbundle-publisher-controller": undefined,
  "legacy-serviceaccount-token-cleaner-controller": "legacy-service-account-token-cleaner",
  "namespace-controller": "namespace",
  "node-ipam-controller": "nodeipam",
  "node-lifecycle-controller": "nodelifecycle",
  "node-route-controller": "route",
  "persistentvolume-attach-detach-controller": "attachdetach",
  "persistentvolume-binder-controller": "persistentvolume-binder",
  "persistentvolume-expander-controller": "persistentvolume-expander",
  "persistentvolume-protection-controller": "pv-protection",
  "persistentvolumeclaim-protection-controller": "pvc-protection",
  "pod-garbage-collector-controller": "podgc",
  "podcertificaterequest-cleaner-controller": undefined,
  "replicaset-controller": "replicaset",
  "replicationcontroller-controller": "replicationcontroller",
  "resourceclaim-controller": "resource-claim-controller",
  "resourcequota-controller": "resourcequota",
  "root-ca-certificate-publisher-controller": "root-ca-cert-publisher",
  "selinux-warning-controller": undefined,
  "service-ca-certificate-publisher-controller": "service-ca-cert-publisher",
  "service-cidr-controller": undefined,
  "service-lb-controller": "service",
  "serviceaccount-controller": "serviceaccount",
  "serviceaccount-token-controller": "serviceaccount-token",
  "statefulset-controller": "statefulset",
  "storage-version-migrator-controller": undefined,
  "storageversion-garbage-collector-controller": "storage-version-gc",
  "taint-eviction-controller": undefined,
  "token-cleaner-controller": "tokencleaner",
  "ttl-after-finished-controller": "ttl-after-finished",
  "ttl-controller": "ttl",
  "validatingadmissionpolicy-status-controller": undefined,
  "volumeattributesclass-protection-controller": undefined
} as const

export type ManagerController = keyof typeof aliasByController

const knownControllers = Object.keys(aliasByController) as ReadonlyArray<ManagerController>

const controllersByAlias: ReadonlyMap<string, ManagerController> = new Map(
  knownControllers.flatMap((name) => {
    const alias = aliasByController[name]
    return alias === undefined ? [] : [[alias, name] as const]
  })
)

/**
 * The upstream controller that each controller here stands for. Controllers that are left out always run, or do the
 * work of several upstream controllers.
 */
const upstreamControllers: Partial<Readonly<Record<ControllerName, ManagerController>>> = {
  deployment: "deployment-controller",
  replicaSet: "replicaset-controller",
  statefulSet: "statefulset-controller",
  daemonSet: "daemonset-controller",
  horizontalPodAutoscaler: "horizontal-pod-autoscaler-controller",
  job: "job-controller",
  cronJob: "cronjob-controller",
  garbageCollector: "garbage-collector-controller",
  podGarbageCollector: "pod-garbage-collector-controller",
  namespace: "namespace-controller",
  disruptionBudget: "disruption-controller",
  resourceQuota: "resourcequota-controller"
}

/** Upstream controllers that share a controller here. */
const mergedControllers = [
  "endpoints-controller",
  "endpointslice-controller",
  "ephemeral-volume-controller",
  "node-lifecycle-controller",
  "persistentvolume-attach-detach-controller",
  "persistentvolume-binder-controller",
  "persistentvolume-protection-controller",
  "persistentvolumeclaim-protection-controller",
  "root-ca-certificate-publisher-controller",
  "serviceaccount-controller",
  "taint-eviction-controller",
  "ttl-after-finished-controller"
] as const satisfies ReadonlyArray<ManagerController>

const implementedControllers: ReadonlySet<string> = new Set([
  ...Object.values(upstreamControllers),
  ...mergedControllers
])

export interface ControllerSelection {
  readonly runs: (controller: ManagerController) => boolean
  /** True for a controller that Kubernetes' controller manager does not have. */
  readonly runsController: (name: ControllerName) => boolean
}

/**
 * `*` selects all, a name enables a controller, `-name` disables it; the first item about a controller holds.
 * Source: controller-manager/app/helper.go (IsControllerEnabled).
 */
export const selectControllers = (list: ReadonlyArray<string> = ["*"]): ControllerSelection => {
  const items = list.map((item) =>
    item.startsWith("-") ? `-${canonicalName(item.slice(1))}` : canonicalName(item)
  )
  const runs = (controller: ManagerController): boolean => {
    const item = items.find((it) => it === controller || it === `-${controller}`)
    return item === undefined ? items.includes("*") : item === controller
  }
  return {
    runs,
    runsController: (name) => {
      const controller = upstreamControllers[name]
      return controller === undefined || runs(controller)
    }
  }
}

const canonicalName = (name: string): string => controllersByAlias.get(name) ?? name

/** Source: cmd/kube-controller-manager/app/options/options.go (Validate). */
export const controllerListProblems = (list: unknown): ReadonlyArray<string> => {
  if (list === undefined) return []
  if (!Array.isArray(list) || list.some((it) => typeof it !== "string"))
    return [`controllers must be a list of names, not ${JSON.stringify(list)}`]
  return (list as ReadonlyArray<string>).flatMap((item) => {
    if (item === "*") return []
    const name = canonicalName(item.startsWith("-") ? item.slice(1) : item)
    if (!Object.hasOwn(aliasByController, name)) return [unknownController(name)]
    return item.startsWith("-") || implementedControllers.has(name)
      ? []
      : [`Charthouse does not have the controller "${name}": it can only be disabled`]
  })
}

const unknownController = (name: string): string => {
  const suggestion = nearestWord(name, [...knownControllers, ...controllersByAlias.keys()])
  const hint = suggestion === undefined ? "" : `: did you mean "${suggestion}"?`
  return `"${name}" is not in the list of known controllers${hint}`
}
