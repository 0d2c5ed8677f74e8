// A cluster whose calls return promises:
export { openCluster } from "./cluster/openCluster.ts"
export type { OpenCluster, OpenOptions } from "./cluster/openCluster.ts"
export type {
  Duration,
  ListQuery,
  ObjectAddress,
  WriteTarget,
  PodBinding,
  RolloutOptions,
  WatchQuery
} from "./cluster/calls/callOptions.ts"
// Decisions of interceptors. `delay` waits in the cluster's time, `delayReally` in real time.
export {
  answerWith,
  delay,
  delayReally,
  drop,
  letThrough,
  loseAnswer,
  refuse
} from "./server/traffic/interceptors.ts"
export type { Interception, Interceptor, Verdict } from "./server/traffic/interceptors.ts"
export type { RequestFilter } from "./server/traffic/requestFilters.ts"
export type { ApiRequest, RequestLog } from "./server/traffic/requestLog.ts"
export type { UserInfo } from "./kubernetes/meta/userInfo.ts"
// The Kubernetes API over HTTP:
export { CannotServe } from "./cluster/serving/cannotServe.ts"
export type { RunningServer, ServeOptions } from "./cluster/serving/serveOptions.ts"
// A cluster whose calls return Effects:
export { Cluster, makeCluster } from "./cluster/cluster.ts"
export type { ForkOptions } from "./cluster/clusterOptions.ts"
export { CannotSnapshot } from "./cluster/snapshots/snapshot.ts"
export type { Snapshot } from "./cluster/snapshots/snapshot.ts"
export { readSnapshot, snapshotText, UnreadableSnapshot } from "./cluster/snapshots/snapshotText.ts"
// The cluster's clock:
export { ClockNotVirtual } from "./runtime/time/clusterClock.ts"
export type { ClockState } from "./runtime/time/clusterClock.ts"
export type { CallAt, ProgramTimers } from "./runtime/time/programTimers.ts"
// Calls, timelines and faults of a cluster:
export type {
  CallStyle,
  ChangeListener,
  ClusterCalls,
  ClusterClock,
  LastingFault,
  ObjectCalls,
  ServedCluster,
  StartedFault
} from "./cluster/calls/clusterCalls.ts"
export type { ClusterService } from "./cluster/clusterService.ts"
// `export *` lets programs add their own resources to the interface ResourceTypes.
export * from "./kubernetes/meta/resourceTypes.ts"
export type { RolloutOutcome } from "./cluster/calls/rolloutWait.ts"
export { UnknownBehaviour } from "./cluster/clusterOptions.ts"
export { InvalidOptions } from "./options/invalidOptions.ts"
export type { ClusterOptions } from "./cluster/clusterOptions.ts"
export type { RecordSettings } from "./recording/clusterRecorder.ts"
export { ClusterClosed } from "./runtime/time/timeline.ts"
export { ManifestsRefused } from "./manifests/manifestsRefused.ts"
export { UnapplicablePatch } from "./kubernetes/apply/patches/unapplicablePatch.ts"
export { resources } from "./kubernetes/meta/kinds.ts"
export { rolloutStatus } from "./kubernetes/apps/rolloutStatus.ts"
export type { RolloutStatus } from "./kubernetes/apps/rolloutStatus.ts"
// Behaviours of Pods:
export { instant, manual, steady } from "./behaviours/builtInBehaviours.ts"
export type { Behaviour, BehaviourDocument, Delay, Distribution } from "./behaviours/behaviour.ts"
export type {
  ConfigMap,
  Deployment,
  Draft,
  EventObject,
  KubeObject,
  Manifest,
  Namespace,
  Node,
  Pod,
  ReplicaSet,
  Secret
} from "./kubernetes/meta/objects.ts"
export type {
  Change,
  DeleteOptions,
  ListOptions,
  ObjectList,
  Ref,
  WatchOptions
} from "./store/objectStore.ts"
export {
  AlreadyExists,
  BadRequest,
  Conflict,
  Expired,
  Forbidden,
  InternalError,
  Invalid,
  NotFound,
  Timeout,
  TooManyRequests
} from "./store/storeErrors.ts"
// Faults:
export { FaultRefused } from "./faults/faultRefused.ts"
export type { ActiveFault, FaultHandle, Faults } from "./faults/activeFaults.ts"
export type { Fault, FaultGiven, RandomFaults } from "./faults/fault.ts"
export type { Party, PodChoice, ReadScope } from "./faults/schemas/faultFields.ts"
export type { ControllerName } from "./runtime/reconciler/controllerTurnOrder.ts"
export type { StoreError } from "./store/storeErrors.ts"
export { ObjectStore } from "./store/objectStore.ts"
export { stepText } from "./explain/steps/step.ts"
export type { EvaluatedGuard, Step, StepCause, StepWrite, StepTransition } from "./explain/steps/step.ts"
