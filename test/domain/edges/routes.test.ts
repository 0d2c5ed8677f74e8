import { describe, expect, it } from "vitest"
import * as routes from "../../../src/kubernetes/apps/rolloutPrecedence.ts"
import { rollbackAnnotation } from "../../../src/kubernetes/apps/revisions/revisions.ts"
import { aDeployment, anObservation, aReplicaSet } from "../../builders.ts"
import type { DeploymentObservation } from "../../../src/kubernetes/apps/deploymentObservation.ts"
import type { DeploymentOptions } from "../../builders.ts"

const deployed = (options: DeploymentOptions = {}) =>
  aDeployment({ version: "v1", revision: "1", ...options })
const inStep = aReplicaSet({ version: "v1", revision: "1", remembers: { desired: 3, max: 4 } })

const seen = (options: DeploymentOptions = {}, replicaSet = inStep): DeploymentObservation =>
  anObservation({ deployment: deployed(options), replicaSets: [replicaSet] })

const stranger = aReplicaSet({ version: "v7", labels: { app: "other" } })
const orphan = aReplicaSet({ version: "v8", owner: null })

const facts = {
  isClaiming: routes.isClaiming,
  isRenumbering: routes.isRenumbering,
  isTerminating: routes.isDeploymentTerminating,
  isPaused: routes.isPaused,
  isRollingBack: routes.isRollingBack,
  isLeavingUnnumbered: routes.isRollbackUnnumbered,
  isScaling: routes.isScaling,
  isRolling: routes.canStrategyAct
}

const factsOf = (observation: DeploymentObservation): ReadonlyArray<string> =>
  Object.entries(facts)
    .filter(([, holds]) => holds(observation))
    .map(([name]) => name)

interface Row {
  readonly why: string
  readonly observation: DeploymentObservation
  readonly holds: ReadonlyArray<string>
}

describe("what comes before a strategy", () => {
  it.each<Row>([
    { why: "nothing", observation: seen(), holds: ["isRolling"] },
    {
      why: "a child that no longer matches",
      observation: anObservation({ deployment: deployed(), replicaSets: [inStep, stranger] }),
      holds: ["isClaiming"]
    },
    {
      why: "an orphan that matches",
      observation: anObservation({ deployment: deployed(), replicaSets: [inStep], orphans: [orphan] }),
      holds: ["isClaiming"]
    },
    {
      why: "one of each",
      observation: anObservation({
        deployment: deployed(),
        replicaSets: [inStep, stranger],
        orphans: [orphan]
      }),
      holds: ["isClaiming"]
    },
    {
      why: "annotations that have not travelled",
      observation: seen({ annotations: { team: "shop" } }),
      holds: ["isRenumbering"]
    },
    { why: "its end", observation: seen({ terminating: true }), holds: ["isTerminating"] },
    { why: "a pause", observation: seen({ paused: true }), holds: ["isPaused"] },
    {
      why: "a way back",
      observation: seen({ annotations: { [rollbackAnnotation]: "0" } }),
      holds: ["isRollingBack"]
    },
    {
      why: "a way back from a template that has no ReplicaSet yet",
      observation: seen({ version: "v2", annotations: { [rollbackAnnotation]: "0" } }),
      holds: ["isRollingBack", "isLeavingUnnumbered"]
    },
    {
      why: "the same, but paused",
      observation: seen({ version: "v2", paused: true, annotations: { [rollbackAnnotation]: "0" } }),
      holds: ["isPaused", "isRollingBack"]
    },
    {
      why: "a template that has no ReplicaSet yet",
      observation: seen({ version: "v2" }),
      holds: ["isRolling"]
    },
    {
      why: "a way back to what is no number",
      observation: seen({ annotations: { [rollbackAnnotation]: "x" } }),
      holds: ["isRolling"]
    },
    { why: "another size", observation: seen({ replicas: 5 }), holds: ["isScaling"] },
    {
      why: "all at once",
      observation: anObservation({
        deployment: deployed({
          replicas: 5,
          paused: true,
          annotations: { [rollbackAnnotation]: "0", team: "shop" }
        }),
        replicaSets: [inStep],
        orphans: [orphan]
      }),
      holds: ["isClaiming", "isRenumbering", "isPaused", "isRollingBack", "isScaling"]
    }
  ])("$why", ({ observation, holds }) => {
    expect(factsOf(observation)).toEqual(holds)
  })
})
