import { describe, expect, it } from "vitest"
import { validateStatusUpdate } from "../../../src/kubernetes/admission/admit.ts"
import {
  aDeployment,
  aPod,
  aReplicaSet,
  deployments,
  edited,
  namespaces,
  pods,
  replicaSets,
  texts
} from "./drafts.ts"

const negative = "must be greater than or equal to 0"
const beyond = "cannot be greater than status.replicas"

describe("a Deployment's status (TestValidateDeploymentStatus, TestValidateDeploymentStatusUpdate)", () => {
  it.each([
    {
      why: "counts that agree",
      status: { replicas: 7, updatedReplicas: 3, readyReplicas: 5, availableReplicas: 4 }
    },
    { why: "nothing counted yet", status: {} },
    {
      why: "nothing is less than none",
      status: { observedGeneration: -1, replicas: -1, unavailableReplicas: -3, terminatingReplicas: -2 },
      errors: [
        `status.observedGeneration: Invalid value: -1: ${negative}`,
        `status.replicas: Invalid value: -1: ${negative}`,
        `status.terminatingReplicas: Invalid value: -2: ${negative}`,
        `status.unavailableReplicas: Invalid value: -3: ${negative}`,
        `status.updatedReplicas: Invalid value: 0: ${beyond}`,
        `status.readyReplicas: Invalid value: 0: ${beyond}`,
        `status.availableReplicas: Invalid value: 0: ${beyond}`
      ]
    },
    {
      why: "a part is not more than the whole",
      status: { replicas: 3, updatedReplicas: 4, readyReplicas: 5, availableReplicas: 5 },
      errors: [
        `status.updatedReplicas: Invalid value: 4: ${beyond}`,
        `status.readyReplicas: Invalid value: 5: ${beyond}`,
        `status.availableReplicas: Invalid value: 5: ${beyond}`
      ]
    },
    {
      why: "nor is any part of it",
      status: { updatedReplicas: -1, readyReplicas: -2, availableReplicas: -3 },
      errors: [
        `status.updatedReplicas: Invalid value: -1: ${negative}`,
        `status.readyReplicas: Invalid value: -2: ${negative}`,
        `status.availableReplicas: Invalid value: -3: ${negative}`
      ]
    },
    {
      why: "what is available is ready",
      status: { replicas: 3, readyReplicas: 1, availableReplicas: 2 },
      errors: ["status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas"]
    },
    { why: "collisions only add up", status: { collisionCount: 3 }, old: { collisionCount: 2 } },
    {
      why: "collisions are not forgotten",
      status: { collisionCount: 1 },
      old: { collisionCount: 2 },
      errors: ["status.collisionCount: Invalid value: 1: cannot be decremented"]
    },
    {
      why: "collisions are not dropped",
      status: {},
      old: { collisionCount: 2 },
      errors: ["status.collisionCount: Invalid value: 0: cannot be decremented"]
    },
    {
      why: "not even none of them",
      status: {},
      old: { collisionCount: 0 },
      errors: ["status.collisionCount: Invalid value: 0: cannot be decremented"]
    },
    { why: "collisions may stay as many", status: { collisionCount: 2 }, old: { collisionCount: 2 } },
    { why: "and may begin", status: { collisionCount: 1 }, old: {} },
    {
      why: "of none no one is ready",
      status: { readyReplicas: 1 },
      errors: [`status.readyReplicas: Invalid value: 1: ${beyond}`]
    },
    {
      why: "of none that is ready no one is available",
      status: { replicas: 1, availableReplicas: 1 },
      errors: ["status.availableReplicas: Invalid value: 1: cannot be greater than readyReplicas"]
    }
  ])("$why", ({ status, old = {}, errors = [] }) => {
    const stored = edited(aDeployment(), ["status", old])
    expect(texts(validateStatusUpdate(deployments, edited(stored, ["status", status]), stored))).toEqual(
      errors
    )
  })
})

describe("the status of a ReplicaSet (TestValidateReplicaSetStatus, TestValidateReplicaSetStatusUpdate)", () => {
  it.each([
    {
      why: "counts that agree",
      status: { replicas: 5, fullyLabeledReplicas: 5, readyReplicas: 3, availableReplicas: 3 }
    },
    {
      why: "nothing is less than none",
      status: { replicas: 1, observedGeneration: -1, fullyLabeledReplicas: -1 },
      errors: [
        `status.fullyLabeledReplicas: Invalid value: -1: ${negative}`,
        `status.observedGeneration: Invalid value: -1: ${negative}`
      ]
    },
    {
      why: "nor is the whole or any other part of it",
      status: { replicas: -1, readyReplicas: -2, availableReplicas: -3, terminatingReplicas: -4 },
      errors: [
        `status.replicas: Invalid value: -1: ${negative}`,
        `status.readyReplicas: Invalid value: -2: ${negative}`,
        `status.availableReplicas: Invalid value: -3: ${negative}`,
        `status.terminatingReplicas: Invalid value: -4: ${negative}`,
        `status.fullyLabeledReplicas: Invalid value: 0: ${beyond}`
      ]
    },
    {
      why: "more than all cannot be ready, nor available",
      status: { replicas: 3, readyReplicas: 5, availableReplicas: 4 },
      errors: [
        `status.readyReplicas: Invalid value: 5: ${beyond}`,
        `status.availableReplicas: Invalid value: 4: ${beyond}`
      ]
    },
    {
      why: "a part is not more than the whole, and what is available is ready",
      status: { replicas: 3, fullyLabeledReplicas: 4, readyReplicas: 1, availableReplicas: 3 },
      errors: [
        `status.fullyLabeledReplicas: Invalid value: 4: ${beyond}`,
        "status.availableReplicas: Invalid value: 3: cannot be greater than readyReplicas"
      ]
    }
  ])("$why", ({ status, errors = [] }) => {
    const stored = aReplicaSet()
    expect(texts(validateStatusUpdate(replicaSets, edited(stored, ["status", status]), stored))).toEqual(
      errors
    )
  })
})

describe("the status of a Pod (TestValidatePodStatusUpdate)", () => {
  const ended = (exitCode: number) => [{ name: "app", state: { terminated: { exitCode } } }]
  const running = [{ name: "app", state: { running: {} } }]
  const problem =
    "status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state"
  it.each([
    { restartPolicy: "Always", exitCode: 0, errors: [], why: "it is started again whatever happened" },
    { restartPolicy: "OnFailure", exitCode: 3, errors: [], why: "it failed" },
    { restartPolicy: "OnFailure", exitCode: 0, errors: [problem], why: "it did what it was there for" },
    { restartPolicy: "Never", exitCode: 3, errors: [problem], why: "it had its chance" }
  ])("$restartPolicy after exit $exitCode: $why", ({ restartPolicy, exitCode, errors }) => {
    const old = edited(aPod({ restartPolicy }), ["status", { containerStatuses: ended(exitCode) }])
    const pod = edited(old, ["status", { containerStatuses: running }])
    expect(texts(validateStatusUpdate(pods, pod, old))).toEqual(errors)
  })
})

describe("a container that has ended (TestValidatePodStatusUpdate)", () => {
  const was = { name: "app", state: { terminated: { exitCode: 0 } } }
  const problem = (list: string, index: number): string =>
    `status.${list}[${index}].state: Forbidden: may not be transitioned to non-terminated state`
  const names = { containers: [{ name: "app" }, { name: "b" }], initContainers: [{ name: "app" }] }
  it.each([
    { why: "it stays as it is", before: [was], after: [was], errors: [] },
    {
      why: "it ends otherwise",
      before: [was],
      after: [{ name: "app", state: { terminated: { exitCode: 3 } } }]
    },
    { why: "nobody speaks of it any more", before: [was], after: [{ name: "b", state: { running: {} } }] },
    { why: "nobody speaks of any", before: [was], after: undefined },
    { why: "nobody has spoken of any", before: undefined, after: [{ name: "app", state: { running: {} } }] },
    { why: "it waits again", before: [was], after: [{ name: "app", state: { waiting: {} } }], errors: [0] },
    { why: "nobody knows how it is", before: [was], after: [{ name: "app" }], errors: [0] },
    {
      why: "it has not ended at all",
      before: [{ name: "app", state: { running: {} } }, { name: "b" }],
      after: [
        { name: "app", state: { waiting: {} } },
        { name: "b", state: { running: {} } }
      ]
    },
    {
      why: "it is found by its name, and told by the place it had",
      before: [{ name: "b", state: { running: {} } }, was],
      after: [{ name: "app", state: { running: {} } }, { name: "b" }],
      errors: [1]
    }
  ])("does not come back, where it may not: $why", ({ before, after, errors = [] }) => {
    for (const list of ["containerStatuses", "initContainerStatuses"]) {
      const old = edited(aPod({ restartPolicy: "Never", ...names }), ["status", { [list]: before }])
      const pod = edited(old, ["status", { [list]: after }])
      expect(texts(validateStatusUpdate(pods, pod, old))).toEqual(errors.map((index) => problem(list, index)))
    }
  })

  it("comes back where it is a sidecar, and only that one does", () => {
    const initContainers = [{ name: "proxy", restartPolicy: "Always" }, { name: "setup" }]
    const at = (state: object) => ["proxy", "setup"].map((name) => ({ name, state }))
    const old = edited(aPod({ restartPolicy: "Never", initContainers }), [
      "status",
      { initContainerStatuses: at({ terminated: { exitCode: 0 } }) }
    ])
    const pod = edited(old, ["status", { initContainerStatuses: at({ running: {} }) }])
    expect(texts(validateStatusUpdate(pods, pod, old))).toEqual([problem("initContainerStatuses", 1)])
  })

  it("needs no status before or after", () => {
    const bare = aPod({ restartPolicy: "Never" })
    const ended = edited(bare, ["status", { containerStatuses: [was] }])
    expect(validateStatusUpdate(pods, ended, bare)).toEqual([])
    expect(validateStatusUpdate(pods, bare, ended)).toEqual([])
  })
})

describe("the phase of a Namespace (TestValidateNamespaceStatusUpdate)", () => {
  const namespace = {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "shop" },
    status: { phase: "Active" }
  }
  const deleting = edited(namespace, ["metadata.deletionTimestamp", "2026-03-01T00:00:00Z"])
  it.each([
    { why: "active", old: namespace, phase: "Active", errors: [] },
    {
      why: "terminating without a delete",
      old: namespace,
      phase: "Terminating",
      errors: [
        `status.Phase: Invalid value: "Terminating": may only be 'Active' if \`deletionTimestamp\` is empty`
      ]
    },
    {
      why: "active after a delete",
      old: deleting,
      phase: "Active",
      errors: [
        `status.Phase: Invalid value: "Active": may only be 'Terminating' if \`deletionTimestamp\` ` +
          `is not empty`
      ]
    },
    { why: "terminating", old: deleting, phase: "Terminating", errors: [] },
    {
      why: "none",
      old: namespace,
      phase: undefined,
      errors: ["status.Phase: Invalid value: \"\": may only be 'Active' if `deletionTimestamp` is empty"]
    }
  ])("$why", ({ old, phase, errors }) => {
    expect(texts(validateStatusUpdate(namespaces, edited(old, ["status.phase", phase]), old))).toEqual(errors)
  })

  it("is missing with the whole status", () => {
    expect(
      texts(validateStatusUpdate(namespaces, edited(namespace, ["status", undefined]), namespace))
    ).toEqual(["status.Phase: Invalid value: \"\": may only be 'Active' if `deletionTimestamp` is empty"])
  })
})
