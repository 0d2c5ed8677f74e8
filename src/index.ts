// A cluster whose calls return promises, and the options of its calls.
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
// What an interceptor decides about a client's request, a Verdict: one of these. `delay` waits for the cluster's time,
// `delayReally` for the machine's.
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
// A served cluster: the Kubernetes API over HTTP.
export { CannotServe } from "./cluster/serving/cannotServe.ts"
export type { RunningServer, ServeOptions } from "./cluster/serving/serveOptions.ts"
// A cluster whose calls return Effects, snapshots and forks of it.
export { Cluster, makeCluster } from "./cluster/cluster.ts"
export type { ForkOptions } from "./cluster/clusterOptions.ts"
export { CannotSnapshot } from "./cluster/snapshots/snapshot.ts"
export type { Snapshot } from "./cluster/snapshots/snapshot.ts"
export { readSnapshot, snapshotText, UnreadableSnapshot } from "./cluster/snapshots/snapshotText.ts"
// Its clock, and timers on it: `CallAt` is the type of `cluster.clock.at`.
export { ClockNotVirtual } from "./runtime/time/clusterClock.ts"
export type { ClockState } from "./runtime/time/clusterClock.ts"
export type { CallAt, ProgramTimers } from "./runtime/time/programTimers.ts"
// `CallStyle`: whether the calls of a cluster return Effects or promises. A StartedFault is a fault that the caller has
// begun, and can end; a LastingFault is one of those that have not ended, by whatever they began.
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
// Behaviours of Pods: `steady` is the default, with `instant` every step of a Pod takes no time, and with `manual` a
// Pod changes only when a client writes its status.
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
// Faults. A Fault given in code may have durations in milliseconds (FaultGiven). The `faultInjector` of the service
// `Cluster` (Faults) begins a fault with a FaultHandle, and lists ActiveFaults. A Party is whose requests a fault
// affects: those of one controller, of all, or of all outside clients.
export { FaultRefused } from "./faults/faultRefused.ts"
export type { ActiveFault, FaultHandle, Faults } from "./faults/activeFaults.ts"
export type { Fault, FaultGiven, RandomFaults } from "./faults/fault.ts"
export type { Party, PodChoice, ReadScope } from "./faults/schemas/faultFields.ts"
export type { ControllerName } from "./runtime/reconciler/controllerTurnOrder.ts"
export type { StoreError } from "./store/storeErrors.ts"
export { ObjectStore } from "./store/objectStore.ts"
export { stepText } from "./explain/steps/step.ts"
export type { EvaluatedGuard, Step, StepCause, StepWrite, StepTransition } from "./explain/steps/step.ts"
