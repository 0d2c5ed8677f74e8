/**
 * The values of enumerated text fields, for clients that offer them. Fields are named `Type.field`, types as in
 * `src/generated/wireTypes.json`.
 *
 * Source: the constants behind `+enum` markers in staging/src/k8s.io/api.
 */
export const enumOf = (field: string): ReadonlyArray<string> | undefined => enums[field]

const protocols = ["SCTP", "TCP", "UDP"]
const effects = ["NoExecute", "NoSchedule", "PreferNoSchedule"]
const pullPolicies = ["Always", "IfNotPresent", "Never"]
const messagePolicies = ["FallbackToLogsOnError", "File"]

const enums: Readonly<Record<string, ReadonlyArray<string>>> = {
  "Container.imagePullPolicy": pullPolicies,
  "Container.terminationMessagePolicy": messagePolicies,
  "ContainerPort.protocol": protocols,
  "CronJobSpec.concurrencyPolicy": ["Allow", "Forbid", "Replace"],
  "DaemonSetUpdateStrategy.type": ["OnDelete", "RollingUpdate"],
  "DeploymentStrategy.type": ["Recreate", "RollingUpdate"],
  "EphemeralContainer.imagePullPolicy": pullPolicies,
  "EphemeralContainer.terminationMessagePolicy": messagePolicies,
  "HTTPGetAction.scheme": ["HTTP", "HTTPS"],
  "JobSpec.completionMode": ["Indexed", "NonIndexed"],
  "JobSpec.podReplacementPolicy": ["Failed", "TerminatingOrFailed"],
  "NamespaceStatus.phase": ["Active", "Terminating"],
  "NodeSelectorRequirement.operator": ["DoesNotExist", "Exists", "Gt", "In", "Lt", "NotIn"],
  "PersistentVolumeSpec.persistentVolumeReclaimPolicy": ["Delete", "Recycle", "Retain"],
  "PodDisruptionBudgetSpec.unhealthyPodEvictionPolicy": ["AlwaysAllow", "IfHealthyBudget"],
  "PodSpec.dnsPolicy": ["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"],
  "PodSpec.preemptionPolicy": ["Never", "PreemptLowerPriority"],
  "PodSpec.restartPolicy": ["Always", "Never", "OnFailure"],
  "PodStatus.phase": ["Failed", "Pending", "Running", "Succeeded", "Unknown"],
  "PodStatus.qosClass": ["BestEffort", "Burstable", "Guaranteed"],
  "ServicePort.protocol": protocols,
  "ServiceSpec.externalTrafficPolicy": ["Cluster", "Local"],
  "ServiceSpec.internalTrafficPolicy": ["Cluster", "Local"],
  "ServiceSpec.sessionAffinity": ["ClientIP", "None"],
  "ServiceSpec.type": ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"],
  "StatefulSetSpec.podManagementPolicy": ["OrderedReady", "Parallel"],
  "StatefulSetUpdateStrategy.type": ["OnDelete", "RollingUpdate"],
  "Taint.effect": effects,
  "Toleration.effect": effects,
  "Toleration.operator": ["Equal", "Exists"],
  "TopologySpreadConstraint.whenUnsatisfiable": ["DoNotSchedule", "ScheduleAnyway"]
}
