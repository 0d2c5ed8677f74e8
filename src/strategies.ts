// The built-in strategies, and what custom ones consist of:
export { recreate } from "../machines/strategies/recreate.ts"
export { rollingUpdate } from "../machines/strategies/rollingUpdate.ts"
// A strategy and its guards:
export { defineStrategy } from "../machines/strategies/strategy.ts"
export { explainGuard } from "../machines/guards/guard.ts"
export {
  newReplicaSetNameTaken,
  newReplicaSetMissing,
  isReportedComplete
} from "../machines/strategies/sharedGuards.ts"
// Commands:
export {
  annotateDeployment,
  createNew,
  createAtFullSize,
  reportCollision,
  reportCondition,
  resizeNew,
  scaleDownOld,
  startNew,
  stopOld
} from "./kubernetes/apps/deploymentCommands.ts"
// The arithmetic behind them:
export {
  newReplicaSetSize,
  planNewSize,
  planOldSizes,
  scaleDownBudget,
  surgeRoom,
  toResize
} from "./kubernetes/apps/rollingUpdate.ts"
export { fencepostBounds, availableFloor } from "./kubernetes/apps/rolloutBounds.ts"
export { areOldPodsLeft, planStart, planStop } from "./kubernetes/apps/recreate.ts"
export { isComplete, wasComplete } from "./kubernetes/apps/progress.ts"
export {
  activeReplicaSets,
  availableReplicas,
  specReplicas,
  statusReplicas
} from "./kubernetes/apps/replicaCounts.ts"
export { conditionOf } from "./kubernetes/meta/conditions.ts"
export { annotationOf, revisionAnnotation } from "./kubernetes/apps/revisions/revisions.ts"
// Steering charts:
export { defineSteering } from "../machines/steering/steeringStrategy.ts"
export {
  newlyComplete,
  rolloutAborted,
  rolloutComplete,
  rolloutUnrecorded,
  controllerBehind,
  undoRecordObsolete
} from "../machines/steering/sharedSteeringGuards.ts"
export {
  endingStates,
  failureGuards,
  recordingStates,
  sharedSteeringCommands
} from "../machines/steering/sharedSteeringStates.ts"
export { deadlineFailure, podsFailure } from "./kubernetes/steering/rolloutFailures.ts"
export { reportRollout } from "./kubernetes/steering/steeringActions.ts"
export type {
  GoDuration,
  Strategy,
  StrategyChart,
  StrategyCommands,
  StrategyDelay,
  StrategyGuard,
  StrategySentences,
  StrategyState
} from "../machines/strategies/strategy.ts"
export type { ExplainedGuard } from "../machines/guards/guard.ts"
export type { DeploymentObservation } from "./kubernetes/apps/deploymentObservation.ts"
export type { AnnotationChanges, Command, DeploymentCommand } from "./kubernetes/apps/commands.ts"
export type { DeploymentCommands } from "./kubernetes/apps/deploymentCommands.ts"
export type { Resize, ScaleDownBudget } from "./kubernetes/apps/rollingUpdate.ts"
export type { RolloutBounds } from "./kubernetes/apps/rolloutBounds.ts"
export type { Deployment, Pod, ReplicaSet } from "./kubernetes/meta/objects.ts"
export type { SteeringCommands } from "./kubernetes/steering/steeringCommands.ts"
export type { SteeringObservation } from "./kubernetes/steering/steeringObservation.ts"
export type { SteeringGuard, SteeringStrategy } from "../machines/steering/steeringStrategy.ts"
