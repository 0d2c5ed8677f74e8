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
  errorTexts
} from "./drafts.ts"

const negative = "must be greater than or equal to 0"
const beyond = "cannot be greater than status.replicas"

describe("a Deployment's status (TestValidateDeploymentStatus, TestValidateDeploymentStatusUpdate)", () => {
  it.each([
    {
      why: "accepts consistent counts",
      status: { replicas: 7, updatedReplicas: 3, readyReplicas: 5, availableReplicas: 4 }
    },
    { why: "accepts an empty status", status: {} },
    {
      why: "rejects negative counts",
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
      why: "rejects parts above replicas",
      status: { replicas: 3, updatedReplicas: 4, readyReplicas: 5, availableReplicas: 5 },
      errors: [
        `status.updatedReplicas: Invalid value: 4: ${beyond}`,
        `status.readyReplicas: Invalid value: 5: ${beyond}`,
        `status.availableReplicas: Invalid value: 5: ${beyond}`
      ]
    },
    {
      why: "rejects negative parts",
      status: { updatedReplicas: -1, readyReplicas: -2, availableReplicas: -3 },
      errors: [
        `status.updatedReplicas: Invalid value: -1: ${negative}`,
        `status.readyReplicas: Invalid value: -2: ${negative}`,
        `status.availableReplicas: Invalid value: -3: ${negative}`
      ]
    },
    {
      why: "rejects more available than ready",
      status: { replicas: 3, readyReplicas: 1, availableReplicas: 2 },
      errors: ["status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas"]
    },
    { why: "accepts a higher collisionCount", status: { collisionCount: 3 }, old: { collisionCount: 2 } },
    {
      why: "rejects a lower collisionCount",
      status: { collisionCount: 1 },
      old: { collisionCount: 2 },
      errors: ["status.collisionCount: Invalid value: 1: cannot be decremented"]
    },
    {
      why: "rejects a missing collisionCount",
      status: {},
      old: { collisionCount: 2 },
      errors: ["status.collisionCount: Invalid value: 0: cannot be decremented"]
    },
    {
      why: "rejects a missing collisionCount after 0",
      status: {},
      old: { collisionCount: 0 },
      errors: ["status.collisionCount: Invalid value: 0: cannot be decremented"]
    },
    { why: "accepts the same collisionCount", status: { collisionCount: 2 }, old: { collisionCount: 2 } },
    { why: "accepts a first collisionCount", status: { collisionCount: 1 }, old: {} },
    {
      why: "rejects ready without replicas",
      status: { readyReplicas: 1 },
      errors: [`status.readyReplicas: Invalid value: 1: ${beyond}`]
    },
    {
      why: "rejects available without ready",
      status: { replicas: 1, availableReplicas: 1 },
      errors: ["status.availableReplicas: Invalid value: 1: cannot be greater than readyReplicas"]
    }
  ])("$why", ({ status, old = {}, errors = [] }) => {
    const stored = edited(aDeployment(), ["status", old])
    expect(errorTexts(validateStatusUpdate(deployments, edited(stored, ["status", status]), stored))).toEqual(
      errors
    )
  })
})

describe("the status of a ReplicaSet (TestValidateReplicaSetStatus, TestValidateReplicaSetStatusUpdate)", () => {
  it.each([
    {
      why: "accepts consistent counts",
      status: { replicas: 5, fullyLabeledReplicas: 5, readyReplicas: 3, availableReplicas: 3 }
    },
    {
      why: "rejects negative counts",
      status: { replicas: 1, observedGeneration: -1, fullyLabeledReplicas: -1 },
      errors: [
        `status.fullyLabeledReplicas: Invalid value: -1: ${negative}`,
        `status.observedGeneration: Invalid value: -1: ${negative}`
      ]
    },
    {
      why: "rejects negative replicas and parts",
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
      why: "rejects more ready or available than replicas",
      status: { replicas: 3, readyReplicas: 5, availableReplicas: 4 },
      errors: [
        `status.readyReplicas: Invalid value: 5: ${beyond}`,
        `status.availableReplicas: Invalid value: 4: ${beyond}`
      ]
    },
    {
      why: "rejects more labelled than replicas, and more available than ready",
      status: { replicas: 3, fullyLabeledReplicas: 4, readyReplicas: 1, availableReplicas: 3 },
      errors: [
        `status.fullyLabeledReplicas: Invalid value: 4: ${beyond}`,
        "status.availableReplicas: Invalid value: 3: cannot be greater than readyReplicas"
      ]
    }
  ])("$why", ({ status, errors = [] }) => {
    const stored = aReplicaSet()
    expect(errorTexts(validateStatusUpdate(replicaSets, edited(stored, ["status", status]), stored))).toEqual(
      errors
    )
  })
})

describe("a terminated container of a Pod (TestValidatePodStatusUpdate)", () => {
  const ended = (exitCode: number) => [{ name: "app", state: { terminated: { exitCode } } }]
  const running = [{ name: "app", state: { running: {} } }]
  const problem =
    "status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state"
  it.each([
    { restartPolicy: "Always", exitCode: 0, errors: [], why: "may restart" },
    { restartPolicy: "OnFailure", exitCode: 3, errors: [], why: "may restart after a failure" },
    { restartPolicy: "OnFailure", exitCode: 0, errors: [problem], why: "may not restart after success" },
    { restartPolicy: "Never", exitCode: 3, errors: [problem], why: "may not restart after a failure" },
    { restartPolicy: "Never", own: { restartPolicy: "Always" }, exitCode: 0, errors: [], why: "has its own" },
    {
      restartPolicy: "OnFailure",
      own: { restartPolicy: "Never", restartPolicyRules: [{ exitCodes: { operator: "In", values: [3] } }] },
      exitCode: 4,
      errors: [problem],
      why: "has its own, and no rule matches"
    },
    {
      restartPolicy: "Never",
      own: { restartPolicy: "Never", restartPolicyRules: [{ exitCodes: { operator: "In", values: [3] } }] },
      exitCode: 3,
      errors: [],
      why: "has a rule that matches"
    },
    {
      restartPolicy: "Never",
      own: {
        restartPolicy: "Never",
        restartPolicyRules: [{ action: "RestartAllContainers", exitCodes: { operator: "In", values: [3] } }]
      },
      exitCode: 4,
      errors: [],
      why: "its Pod may restart as a whole"
    }
  ])("$restartPolicy after exit $exitCode: $why", ({ restartPolicy, own = {}, exitCode, errors }) => {
    const containers = [{ name: "app", image: "app", ...own }]
    const old = edited(aPod({ restartPolicy, containers }), [
      "status",
      { containerStatuses: ended(exitCode) }
    ])
    const pod = edited(old, ["status", { containerStatuses: running }])
    expect(errorTexts(validateStatusUpdate(pods, pod, old))).toEqual(errors)
  })
})

describe("a terminated container that may not restart (TestValidatePodStatusUpdate)", () => {
  const terminatedStatus = { name: "app", state: { terminated: { exitCode: 0 } } }
  const problem = (list: string, index: number): string =>
    `status.${list}[${index}].state: Forbidden: may not be transitioned to non-terminated state`
  const names = { containers: [{ name: "app" }, { name: "b" }], initContainers: [{ name: "app" }] }
  it.each([
    { why: "it stays terminated", before: [terminatedStatus], after: [terminatedStatus], errors: [] },
    {
      why: "its exit code changes",
      before: [terminatedStatus],
      after: [{ name: "app", state: { terminated: { exitCode: 3 } } }]
    },
    {
      why: "its status is missing",
      before: [terminatedStatus],
      after: [{ name: "b", state: { running: {} } }]
    },
    { why: "all statuses are missing", before: [terminatedStatus], after: undefined },
    { why: "there were no statuses", before: undefined, after: [{ name: "app", state: { running: {} } }] },
    {
      why: "it waits",
      before: [terminatedStatus],
      after: [{ name: "app", state: { waiting: {} } }],
      errors: [0]
    },
    { why: "its status has no state", before: [terminatedStatus], after: [{ name: "app" }], errors: [0] },
    {
      why: "it was not terminated",
      before: [{ name: "app", state: { running: {} } }, { name: "b" }],
      after: [
        { name: "app", state: { waiting: {} } },
        { name: "b", state: { running: {} } }
      ]
    },
    {
      why: "it is matched by name, and reported with its old index",
      before: [{ name: "b", state: { running: {} } }, terminatedStatus],
      after: [{ name: "app", state: { running: {} } }, { name: "b" }],
      errors: [1]
    }
  ])("stays terminated: $why", ({ before, after, errors = [] }) => {
    for (const list of ["containerStatuses", "initContainerStatuses"]) {
      const old = edited(aPod({ restartPolicy: "Never", ...names }), ["status", { [list]: before }])
      const pod = edited(old, ["status", { [list]: after }])
      expect(errorTexts(validateStatusUpdate(pods, pod, old))).toEqual(
        errors.map((index) => problem(list, index))
      )
    }
  })

  it("runs again where it is a sidecar, unlike other init containers", () => {
    const initContainers = [{ name: "proxy", restartPolicy: "Always" }, { name: "setup" }]
    const at = (state: object) => ["proxy", "setup"].map((name) => ({ name, state }))
    const old = edited(aPod({ restartPolicy: "Never", initContainers }), [
      "status",
      { initContainerStatuses: at({ terminated: { exitCode: 0 } }) }
    ])
    const pod = edited(old, ["status", { initContainerStatuses: at({ running: {} }) }])
    expect(errorTexts(validateStatusUpdate(pods, pod, old))).toEqual([problem("initContainerStatuses", 1)])
  })

  it("needs no status before or after the update", () => {
    const bare = aPod({ restartPolicy: "Never" })
    const ended = edited(bare, ["status", { containerStatuses: [terminatedStatus] }])
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
    { why: "accepts Active", old: namespace, phase: "Active", errors: [] },
    {
      why: "rejects Terminating without a deletion",
      old: namespace,
      phase: "Terminating",
      errors: [
        `status.Phase: Invalid value: "Terminating": may only be 'Active' if \`deletionTimestamp\` is empty`
      ]
    },
    {
      why: "rejects Active after a deletion",
      old: deleting,
      phase: "Active",
      errors: [
        `status.Phase: Invalid value: "Active": may only be 'Terminating' if \`deletionTimestamp\` ` +
          `is not empty`
      ]
    },
    { why: "accepts Terminating after a deletion", old: deleting, phase: "Terminating", errors: [] },
    {
      why: "rejects no phase",
      old: namespace,
      phase: undefined,
      errors: ["status.Phase: Invalid value: \"\": may only be 'Active' if `deletionTimestamp` is empty"]
    }
  ])("$why", ({ old, phase, errors }) => {
    expect(errorTexts(validateStatusUpdate(namespaces, edited(old, ["status.phase", phase]), old))).toEqual(
      errors
    )
  })

  it("is required when the status is missing", () => {
    expect(
      errorTexts(validateStatusUpdate(namespaces, edited(namespace, ["status", undefined]), namespace))
    ).toEqual(["status.Phase: Invalid value: \"\": may only be 'Active' if `deletionTimestamp` is empty"])
  })
})
