import { describe, expect, it } from "vitest"
import { judgeFailure } from "../../../../src/kubernetes/batch/jobs/podFailurePolicy.ts"
import { aContainerStatus, aJob, aJobPod, aTerminatedState } from "../../../builders.ts"
import type { FailureRule } from "../../../../src/kubernetes/batch/jobs/jobTypes.ts"
import type { Pod } from "../../../../src/kubernetes/meta/objects.ts"

const exited = (exitCode: number, name = "app") =>
  aContainerStatus({ name, state: aTerminatedState(exitCode) })
const inCodes = (...values: ReadonlyArray<number>): FailureRule => ({
  action: "FailJob",
  onExitCodes: { operator: "In", values }
})
const notInCodes = (...values: ReadonlyArray<number>): FailureRule => ({
  action: "FailJob",
  onExitCodes: { operator: "NotIn", values }
})
const onCondition = (type: string, status?: string): FailureRule => ({
  action: "FailJob",
  onPodConditions: [{ type, ...(status === undefined ? {} : { status }) }]
})
const conditions = (type: string, status: string) => ({ conditions: [{ type, status }] })

interface Row {
  readonly why: string
  readonly rules: ReadonlyArray<FailureRule>
  readonly status: Partial<Pod["status"]>
  /** The action, and of what the Pod is accused. */
  readonly verdict: string
}

const uncounted = "Count: "

describe("what podFailurePolicy makes of a failed Pod (TestMatchPodFailurePolicy)", () => {
  it.each<Row>([
    {
      why: "without rules a failure counts",
      rules: [],
      status: { containerStatuses: [exited(1)] },
      verdict: uncounted
    },
    {
      why: "an exit code that is listed",
      rules: [inCodes(2, 3)],
      status: { containerStatuses: [exited(3)] },
      verdict:
        "FailJob: Container app for pod shop/pi-x failed with exit code 3 matching FailJob rule at index 0"
    },
    {
      why: "an exit code that is not listed",
      rules: [inCodes(2, 3)],
      status: { containerStatuses: [exited(4)] },
      verdict: uncounted
    },
    {
      why: "any other code than those listed",
      rules: [notInCodes(2, 3)],
      status: { containerStatuses: [exited(4)] },
      verdict:
        "FailJob: Container app for pod shop/pi-x failed with exit code 4 matching FailJob rule at index 0"
    },
    {
      why: "not a code that is excepted",
      rules: [notInCodes(2, 3)],
      status: { containerStatuses: [exited(2)] },
      verdict: uncounted
    },
    {
      why: "a container that succeeded is not to blame, although 0 is not in the list",
      rules: [notInCodes(2)],
      status: { containerStatuses: [exited(0)] },
      verdict: uncounted
    },
    {
      why: "a container that still runs has no exit code",
      rules: [notInCodes(2)],
      status: { containerStatuses: [aContainerStatus({ state: { running: {} } })] },
      verdict: uncounted
    },
    {
      why: "the container that the rule names, not the others",
      rules: [{ action: "Ignore", onExitCodes: { containerName: "tau", operator: "In", values: [5] } }],
      status: { containerStatuses: [exited(5), exited(5, "tau")] },
      verdict:
        "Ignore: Container tau for pod shop/pi-x failed with exit code 5 matching Ignore rule at index 0"
    },
    {
      why: "another container than the one that the rule names",
      rules: [{ action: "Ignore", onExitCodes: { containerName: "tau", operator: "In", values: [5] } }],
      status: { containerStatuses: [exited(5), exited(6, "tau")] },
      verdict: uncounted
    },
    {
      why: "an init container, after the containers",
      rules: [inCodes(5, 6)],
      status: { containerStatuses: [exited(0)], initContainerStatuses: [exited(6, "setup")] },
      verdict:
        "FailJob: Container setup for pod shop/pi-x failed with exit code 6 matching FailJob rule at index 0"
    },
    {
      why: "a container before an init container",
      rules: [inCodes(5, 6)],
      status: { containerStatuses: [exited(5)], initContainerStatuses: [exited(6, "setup")] },
      verdict:
        "FailJob: Container app for pod shop/pi-x failed with exit code 5 matching FailJob rule at index 0"
    },
    {
      why: "a container that tells no state has no exit code",
      rules: [notInCodes(2)],
      status: { containerStatuses: [aContainerStatus()] },
      verdict: uncounted
    },
    {
      why: "a Pod that never started a container",
      rules: [inCodes(5)],
      status: {},
      verdict: uncounted
    },
    {
      why: "a condition of the Pod",
      rules: [onCondition("DisruptionTarget", "True")],
      status: conditions("DisruptionTarget", "True"),
      verdict: "FailJob: Pod shop/pi-x has condition DisruptionTarget matching FailJob rule at index 0"
    },
    {
      why: "a condition whose status the rule does not name has to be True",
      rules: [onCondition("DisruptionTarget")],
      status: conditions("DisruptionTarget", "True"),
      verdict: "FailJob: Pod shop/pi-x has condition DisruptionTarget matching FailJob rule at index 0"
    },
    {
      why: "a condition with another status",
      rules: [onCondition("DisruptionTarget")],
      status: conditions("DisruptionTarget", "False"),
      verdict: uncounted
    },
    {
      why: "another condition",
      rules: [onCondition("ConfigIssue")],
      status: conditions("DisruptionTarget", "True"),
      verdict: uncounted
    },
    {
      why: "one of several conditions",
      rules: [
        { action: "FailJob", onPodConditions: [{ type: "ConfigIssue" }, { type: "DisruptionTarget" }] }
      ],
      status: conditions("DisruptionTarget", "True"),
      verdict: "FailJob: Pod shop/pi-x has condition DisruptionTarget matching FailJob rule at index 0"
    },
    {
      why: "a Pod without conditions",
      rules: [onCondition("DisruptionTarget")],
      status: { conditions: undefined } as object,
      verdict: uncounted
    },
    {
      why: "the first rule that matches decides",
      rules: [inCodes(2), { action: "FailIndex", onExitCodes: { operator: "In", values: [5] } }, inCodes(5)],
      status: { containerStatuses: [exited(5)] },
      verdict:
        "FailIndex: Container app for pod shop/pi-x failed with exit code 5 matching FailIndex rule at index 1"
    },
    {
      why: "a rule that says that a failure counts ends the search",
      rules: [{ action: "Count", onExitCodes: { operator: "In", values: [5] } }, inCodes(5)],
      status: { containerStatuses: [exited(5)] },
      verdict: "Count: Container app for pod shop/pi-x failed with exit code 5 matching Count rule at index 0"
    }
  ])("$why", ({ rules, status, verdict }) => {
    const job = aJob({ spec: { podFailurePolicy: { rules } } })
    const { action, message } = judgeFailure(job, aJobPod({ name: "pi-x", phase: "Failed", status }))
    expect(`${action}: ${message}`).toBe(verdict)
  })

  it("counts failures of a Job without a policy", () => {
    expect(judgeFailure(aJob(), aJobPod({ phase: "Failed" }))).toEqual({ action: "Count", message: "" })
  })
})
