import { describe, expect, it } from "vitest"
import { mayRestart, restartTermsOf } from "../../../../src/kubernetes/pods/containers/restartPolicies.ts"
import type { ContainerRole } from "../../../../src/kubernetes/pods/containers/containerRoles.ts"
import type { ContainerRestartFields } from "../../../../src/kubernetes/pods/containers/restartPolicies.ts"

const on = (operator: string, ...values: ReadonlyArray<number>) => ({
  action: "Restart",
  exitCodes: { operator, values }
})

interface Row {
  readonly why: string
  readonly role?: ContainerRole
  readonly own?: ContainerRestartFields
  readonly pod?: string
  /** Of the exit codes 0, 1 and 42, those after which the container runs again. */
  readonly after: ReadonlyArray<number>
}

describe("a container that has ended (TestContainerShouldRestart)", () => {
  it.each<Row>([
    { why: "the Pod's default policy", after: [0, 1, 42] },
    { why: "the Pod's policy", pod: "OnFailure", after: [1, 42] },
    { why: "the Pod's policy", pod: "Never", after: [] },
    { why: "its own policy", own: { restartPolicy: "Never" }, pod: "Always", after: [] },
    { why: "its own policy", own: { restartPolicy: "OnFailure" }, pod: "Never", after: [1, 42] },
    { why: "its own policy", own: { restartPolicy: "Always" }, pod: "Never", after: [0, 1, 42] },
    {
      why: "a rule before its policy",
      own: { restartPolicy: "Never", restartPolicyRules: [on("In", 42, 43)] },
      after: [42]
    },
    {
      why: "a rule of all other exit codes",
      own: { restartPolicy: "Never", restartPolicyRules: [on("NotIn", 1, 42)] },
      after: [0]
    },
    {
      why: "the second of two rules",
      own: { restartPolicy: "Never", restartPolicyRules: [on("In", 7), on("In", 0)] },
      after: [0]
    },
    {
      why: "its policy where no rule matches",
      own: { restartPolicy: "OnFailure", restartPolicyRules: [on("In", 7)] },
      pod: "Never",
      after: [1, 42]
    },
    {
      why: "no rule without exit codes matches",
      own: { restartPolicy: "Never", restartPolicyRules: [{ action: "Restart" }, on("In"), on("Equals", 1)] },
      after: []
    },
    { why: "an init container is done after success", role: "init", pod: "Always", after: [1, 42] },
    { why: "an init container fails with its Pod", role: "init", pod: "Never", after: [] },
    { why: "its own policy", role: "init", own: { restartPolicy: "Never" }, pod: "Always", after: [] },
    {
      why: "its own policy",
      role: "init",
      own: { restartPolicy: "OnFailure" },
      pod: "Never",
      after: [1, 42]
    },
    {
      why: "an init container is done after success, whatever a rule says",
      role: "init",
      own: { restartPolicy: "Never", restartPolicyRules: [on("In", 0, 42)] },
      after: [42]
    },
    {
      why: "a sidecar runs on",
      role: "sidecar",
      own: { restartPolicy: "Always" },
      pod: "Never",
      after: [0, 1, 42]
    },
    { why: "an ephemeral container runs once", role: "ephemeral", pod: "Always", after: [] }
  ])(
    "$role with $own in a Pod with $pod runs again after $after: $why",
    ({ role = "app", own, pod, after }) => {
      const terms = restartTermsOf(role, own ?? {}, pod)
      expect([0, 1, 42].filter((code) => mayRestart(terms, { code }))).toEqual(after)
    }
  )

  it.each([
    ["Always", true],
    ["OnFailure", true],
    ["Never", false]
  ])("of which no exit is known runs again under %s: %s", (restartPolicy, isRestarted) => {
    const own = { restartPolicy, restartPolicyRules: [on("NotIn", 1)] }
    expect(mayRestart(restartTermsOf("app", own), undefined)).toBe(isRestarted)
  })
})
