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
  /** The numbers that `charthouse why` shows of the observation with which a step began. */
  readonly numbers: ObservedNumbers
}

/** By chart. Not a part of `actorKindList`, whose readers need not load all guards. */
export const guardsOfCharts: Readonly<Record<ActorChart, ChartGuards>> = {
  deployment: { guards: deploymentGuards, numbers: deploymentStepNumbers },
  steering: { guards: steeringGuards, numbers: steeringStepNumbers },
  replicaSet: { guards: replicaSetGuards, numbers: replicaSetStepNumbers },
  statefulSet: { guards: statefulSetGuards, numbers: statefulSetStepNumbers },
  daemonSet: { guards: daemonSetGuards, numbers: daemonSetStepNumbers },
  job: { guards: jobGuards, numbers: jobStepNumbers },
  cronJob: { guards: cronJobGuards, numbers: cronJobStepNumbers },
  horizontalPodAutoscaler: { guards: autoscalerGuards, numbers: autoscalerStepNumbers },
  pod: { guards: podGuards, numbers: podStepNumbers },
  container: { guards: containerGuards, numbers: containerStepNumbers },
  node: { guards: nodeGuards, numbers: nodeStepNumbers }
}
