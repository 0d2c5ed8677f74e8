export { openCluster } from "./openCluster.ts"
export type {
  Duration,
  ListQuery,
  ObjectAddress,
  PatchOptions,
  RolloutOptions,
  WatchQuery,
  OpenClock,
  StartedFault,
  LastingFault,
  OpenCluster,
  OpenOptions,
  ServedCluster
} from "./openCluster.ts"
export { answerWith, delay, delayReally, drop, letThrough, loseAnswer, refuse } from "./api/intercept.ts"
export type { Interception, Interceptor, Verdict } from "./api/intercept.ts"
export type { RequestFilter } from "./api/requestFilters.ts"
export type { ApiRequest, RequestLog } from "./api/requestLog.ts"
export type { UserInfo } from "./domain/userInfo.ts"
export { CannotServe } from "./cannotServe.ts"
export type { RunningServer } from "./serve.ts"
export type { ServeOptions } from "./serveOptions.ts"
export { Cluster, forkCluster, makeCluster } from "./cluster.ts"
export type { ForkOptions } from "./cluster.ts"
export { CannotSnapshot } from "./snapshots/snapshot.ts"
export type { Snapshot } from "./snapshots/snapshot.ts"
export { readSnapshot, snapshotText, UnreadableSnapshot } from "./snapshots/snapshotText.ts"
export { ClockNotVirtual } from "./runtime/clusterClock.ts"
export type { ClockState, ClusterClock } from "./runtime/clusterClock.ts"
export type { RolloutOutcome } from "./rollouts.ts"
export type { PodBinding } from "./fromOutside.ts"
export { UnknownBehaviour } from "./clusterOptions.ts"
export { InvalidOptions } from "./invalidOptions.ts"
export type { ClusterOptions } from "./clusterOptions.ts"
export type { RecordSettings } from "./recording/recorder.ts"
export { ClusterClosed } from "./runtime/timeline.ts"
export { ManifestsRefused } from "./manifests/manifestsRefused.ts"
export { UnapplicablePatch } from "./domain/unapplicablePatch.ts"
export { resources } from "./domain/kinds.ts"
export { rolloutStatus } from "./domain/rolloutStatus.ts"
export type { RolloutStatus } from "./domain/rolloutStatus.ts"
export { instant, manual, steady } from "./behaviours/builtIn.ts"
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
} from "./domain/objects.ts"
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
} from "./store/errors.ts"
export { FaultRefused } from "./faults/faultWorld.ts"
export type { ActiveFault, FaultHandle, Faults } from "./faults/begin.ts"
export type {
  ControllerName,
  Fault,
  FaultGiven,
  Party,
  PodChoice,
  RandomFaults,
  ReadScope
} from "./faults/fault.ts"
export type { StoreError } from "./store/errors.ts"
export { ObjectStore } from "./store/objectStore.ts"
// What a strategy of one's own is made of: the built-in ones, their commands and their arithmetic.
export { recreate } from "../machines/strategies/recreate.ts"
export { rollingUpdate } from "../machines/strategies/rollingUpdate.ts"
export {
  createNext,
  createWhole,
  reportCollision,
  resizeNext,
  shrinkPrevious,
  startNext,
  stopPrevious
} from "./domain/deploymentCommands.ts"
export { planNext, planPrevious } from "./domain/rollingUpdate.ts"
export { isPreviousRunning, planStart, planStop } from "./domain/recreate.ts"
export { isComplete, wasComplete } from "./domain/progress.ts"
export { availableReplicas, specReplicas, statusReplicas } from "./domain/replicaCounts.ts"
export { defineStrategy } from "../machines/strategies/strategy.ts"
export type {
  Strategy,
  StrategyChart,
  StrategyCommands,
  StrategyGuard
} from "../machines/strategies/strategy.ts"
export type { DeploymentObservation } from "./domain/observations.ts"
export type { Command, DeploymentCommand } from "./domain/commands.ts"
export { stepText } from "./inspect/why/step.ts"
export type { EvaluatedGuard, Step, StepCause, StepWrite, StepTransition } from "./inspect/why/step.ts"
