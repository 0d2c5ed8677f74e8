import { containerGuards, containerStepNumbers } from "./containerGuards.ts"
import { deploymentGuards, deploymentStepNumbers } from "./deploymentGuards.ts"
import { nodeGuards, nodeStepNumbers } from "./nodeGuards.ts"
import { podGuards, podStepNumbers } from "./podGuards.ts"
import { replicaSetGuards, replicaSetStepNumbers } from "./replicaSetGuards.ts"
import { daemonSetGuards, daemonSetStepNumbers } from "./daemonSetGuards.ts"
import { autoscalerGuards, autoscalerStepNumbers } from "./autoscalerGuards.ts"
import { cronJobGuards, cronJobStepNumbers } from "./cronJobGuards.ts"
import { jobGuards, jobStepNumbers } from "./jobGuards.ts"
import { statefulSetGuards, statefulSetStepNumbers } from "./statefulSetGuards.ts"
import { steeringGuards, steeringStepNumbers } from "./steeringGuards.ts"
import type { ActorChart } from "../actorKinds.ts"
import type { ObservedNumbers } from "./guard.ts"

export interface ChartGuards {
  readonly guards: Readonly<Record<string, unknown>>
  /** What `charthouse why` shows of the observation with which a step began. */
  readonly stepNumbers: ObservedNumbers
}

/** By chart. Not a part of `actorKindList`, whose readers need not load all guards. */
export const guardsOfCharts: Readonly<Record<ActorChart, ChartGuards>> = {
  deployment: { guards: deploymentGuards, stepNumbers: deploymentStepNumbers },
  steering: { guards: steeringGuards, stepNumbers: steeringStepNumbers },
  replicaSet: { guards: replicaSetGuards, stepNumbers: replicaSetStepNumbers },
  statefulSet: { guards: statefulSetGuards, stepNumbers: statefulSetStepNumbers },
  daemonSet: { guards: daemonSetGuards, stepNumbers: daemonSetStepNumbers },
  job: { guards: jobGuards, stepNumbers: jobStepNumbers },
  cronJob: { guards: cronJobGuards, stepNumbers: cronJobStepNumbers },
  horizontalPodAutoscaler: { guards: autoscalerGuards, stepNumbers: autoscalerStepNumbers },
  pod: { guards: podGuards, stepNumbers: podStepNumbers },
  container: { guards: containerGuards, stepNumbers: containerStepNumbers },
  node: { guards: nodeGuards, stepNumbers: nodeStepNumbers }
}
