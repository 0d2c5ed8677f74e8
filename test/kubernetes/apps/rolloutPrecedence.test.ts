import { describe, expect, it } from "vitest"
import * as routes from "../../../src/kubernetes/apps/rolloutPrecedence.ts"
import { rollbackAnnotation } from "../../../src/kubernetes/apps/revisions/revisions.ts"
import { aDeployment, anObservation, aReplicaSet } from "../../builders.ts"
import type { DeploymentObservation } from "../../../src/kubernetes/apps/deploymentObservation.ts"
import type { DeploymentOptions } from "../../builders.ts"

const aWebDeployment = (options: DeploymentOptions = {}) =>
  aDeployment({ version: "v1", revision: "1", ...options })
const upToDate = aReplicaSet({ version: "v1", revision: "1", annotatedSize: { desired: 3, max: 4 } })

const observe = (options: DeploymentOptions = {}, replicaSet = upToDate): DeploymentObservation =>
  anObservation({ deployment: aWebDeployment(options), replicaSets: [replicaSet] })

const unmatched = aReplicaSet({ version: "v7", labels: { app: "other" } })
const orphan = aReplicaSet({ version: "v8", owner: null })

const guards = {
  isClaiming: routes.isClaiming,
  isRenumbering: routes.isRenumbering,
  isTerminating: routes.isDeploymentTerminating,
  isPaused: routes.isPaused,
  isRollingBack: routes.isRollingBack,
  isLeavingUnnumbered: routes.needsReplicaSetBeforeRollback,
  isScaling: routes.isScaling,
  isRolling: routes.canStrategyAct
}

const holdingGuards = (observation: DeploymentObservation): ReadonlyArray<string> =>
  Object.entries(guards)
    .filter(([, holds]) => holds(observation))
    .map(([name]) => name)

interface Row {
  readonly why: string
  readonly observation: DeploymentObservation
  readonly holds: ReadonlyArray<string>
}

describe("the guards before a strategy", () => {
  it.each<Row>([
    { why: "nothing to do but roll", observation: observe(), holds: ["isRolling"] },
    {
      why: "an owned ReplicaSet that no longer matches",
      observation: anObservation({ deployment: aWebDeployment(), replicaSets: [upToDate, unmatched] }),
      holds: ["isClaiming"]
    },
    {
      why: "a matching orphan",
      observation: anObservation({
        deployment: aWebDeployment(),
        replicaSets: [upToDate],
        orphans: [orphan]
      }),
      holds: ["isClaiming"]
    },
    {
      why: "both of them",
      observation: anObservation({
        deployment: aWebDeployment(),
        replicaSets: [upToDate, unmatched],
        orphans: [orphan]
      }),
      holds: ["isClaiming"]
    },
    {
      why: "annotations that are not yet copied",
      observation: observe({ annotations: { team: "shop" } }),
      holds: ["isRenumbering"]
    },
    { why: "a deletion", observation: observe({ terminating: true }), holds: ["isTerminating"] },
    { why: "a pause", observation: observe({ paused: true }), holds: ["isPaused"] },
    {
      why: "a rollback",
      observation: observe({ annotations: { [rollbackAnnotation]: "0" } }),
      holds: ["isRollingBack"]
    },
    {
      why: "a rollback from a template without a ReplicaSet",
      observation: observe({ version: "v2", annotations: { [rollbackAnnotation]: "0" } }),
      holds: ["isRollingBack", "isLeavingUnnumbered"]
    },
    {
      why: "a paused rollback from a template without a ReplicaSet",
      observation: observe({ version: "v2", paused: true, annotations: { [rollbackAnnotation]: "0" } }),
      holds: ["isPaused", "isRollingBack"]
    },
    {
      why: "a template without a ReplicaSet",
      observation: observe({ version: "v2" }),
      holds: ["isRolling"]
    },
    {
      why: "a rollback to an invalid revision",
      observation: observe({ annotations: { [rollbackAnnotation]: "x" } }),
      holds: ["isRolling"]
    },
    { why: "another number of replicas", observation: observe({ replicas: 5 }), holds: ["isScaling"] },
    {
      why: "all of them",
      observation: anObservation({
        deployment: aWebDeployment({
          replicas: 5,
          paused: true,
          annotations: { [rollbackAnnotation]: "0", team: "shop" }
        }),
        replicaSets: [upToDate],
        orphans: [orphan]
      }),
      holds: ["isClaiming", "isRenumbering", "isPaused", "isRollingBack", "isScaling"]
    }
  ])("$why", ({ observation, holds }) => {
    expect(holdingGuards(observation)).toEqual(holds)
  })
})
