import { describe, expect, it } from "vitest"
import { commandText } from "../../src/kubernetes/apps/commands.ts"
import { makeClock, startChart } from "./chartActor.ts"
import { beginMillis } from "./workloadObservations.ts"
import { steeringMachine } from "../../machines/steering.ts"
import { podsFailure } from "../../src/kubernetes/steering/rolloutFailures.ts"
import { approvalGate, steeredCondition } from "../../src/kubernetes/steering/steeringNames.ts"
import { withApprovalCondition } from "../../src/kubernetes/steering/podApproval.ts"
import { steeringObservations } from "./steeringObservations.ts"
import type { SteeringObservation } from "../../src/kubernetes/steering/steeringObservation.ts"
import type { Deployment, DeploymentCondition, Pod } from "../../src/kubernetes/meta/objects.ts"

const machine = steeringMachine()

const decisionAt = (
  situation: string
): { readonly state: unknown; readonly commands: ReadonlyArray<string> } => {
  const chart = startChart(machine, makeClock(beginMillis))
  const commands = chart.take({ type: "observed", seen: steeringObservations.get(situation) })
  return { state: chart.value(), commands: commands.map(commandText) }
}

const lookAt = (seen: SteeringObservation) => {
  const chart = startChart(machine, makeClock(beginMillis))
  const commands = chart.take({ type: "observed", seen })
  return { state: chart.value(), commands }
}

const withGate = (seen: SteeringObservation, conditionType: string): SteeringObservation => {
  const { deployment } = seen
  const { template } = deployment.spec
  const podSpec = { ...(template.spec ?? { containers: [] }), readinessGates: [{ conditionType }] }
  return {
    ...seen,
    deployment: {
      ...deployment,
      spec: { ...deployment.spec, template: { ...template, spec: podSpec } }
    }
  }
}

/** The new Pods that this look approves. */
const approvedAt = (seen: SteeringObservation): ReadonlyArray<Pod> => {
  const [first] = lookAt(seen).commands
  return first?.type === "approve" ? first.pods.filter((pod) => seen.newPods.includes(pod)) : []
}

describe("the steering chart, at one look", () => {
  it.each([
    { situation: "in progress", state: "watching", because: "nothing has failed" },
    { situation: "not recorded", state: "beginning", because: "a rollout is recorded before it is judged" },
    {
      situation: "with the record of another rollout",
      state: "beginning",
      because: "a copy counts for nothing"
    },
    { situation: "not observed by the Deployment's controller", state: "awaitingController" },
    { situation: "not numbered yet", state: "awaitingController" },
    { situation: "cannot pull, beyond its budget", state: "undoing" },
    { situation: "crashing", state: "undoing" },
    { situation: "crashing as often as it may", state: "watching" },
    {
      situation: "crashing while Pods are deleted",
      state: "awaitingDeletions",
      because: "their ReplicaSet counts them"
    },
    { situation: "crashing, managed in Git", state: "givingUp", because: "Git would apply it again" },
    { situation: "crashing, onFailure: hold", state: "givingUp" },
    { situation: "crashing, and nothing was ever complete", state: "givingUp" },
    { situation: "crashing, and it was taken back before", state: "givingUp", because: "it would go round" },
    { situation: "crashing, given up", state: "givenUp" },
    { situation: "late", state: "undoing" },
    { situation: "late before this rollout", state: "watching", because: "the condition is an old one" },
    { situation: "back at the first, which crashes, too", state: "givingUp", because: "it goes back once" },
    { situation: "aborted by its user", state: "undoing" },
    { situation: "promoted", state: "watching", because: "it has no steps" },
    { situation: "given up, and promoted", state: "dismissingLate" },
    { situation: "complete, not marked", state: "recordingComplete" },
    { situation: "of 0 replicas", state: "watching", because: "no Pod has shown anything" }
  ])("is $state: $situation", ({ situation, state }) => {
    const { state: value } = decisionAt(situation)
    const inner = (value as { readonly automaticRollback?: unknown }).automaticRollback
    expect(typeof inner === "object" ? Object.keys(inner ?? {})[0] : inner).toBe(state)
  })

  it.each([
    { situation: "not recorded", state: "beginning" },
    { situation: "not observed by the Deployment's controller", state: "awaitingController" },
    { situation: "Pods start", state: "awaitingPods" },
    {
      situation: "two Pods are up",
      state: "reserving",
      because: "approvals are on record before they are given"
    },
    {
      situation: "two Pods are on record, and one is allowed now",
      state: "advancing",
      because: "its user has scaled it down, and one is approved"
    },
    { situation: "the Pod on record is approved", state: "awaitingPods", because: "it is not yet available" },
    { situation: "the Pod on record is gone", state: "reserving", because: "it makes room for another one" },
    { situation: "first step done", state: "advancing" },
    { situation: "holds", state: "holding" },
    { situation: "held for long enough", state: "advancing" },
    { situation: "holds until promoted", state: "holding", because: "no deadline counts while it holds" },
    { situation: "promoted", state: "promoting" },
    { situation: "promoted while no step holds", state: "dismissingEarly" },
    { situation: "promoted to the end", state: "promoting" },
    { situation: "promoted to the end once more", state: "dismissingEarly", because: "no step is left" },
    { situation: "held by its user", state: "recordingHold" },
    { situation: "held on record", state: "held" },
    { situation: "paused on record", state: "held" },
    {
      situation: "held no longer",
      state: "recordingHold",
      because: "its time begins anew before it is judged"
    },
    { situation: "aborted by its user", state: "undoing" },
    { situation: "aborted, onFailure: hold", state: "givingUp" },
    { situation: "given up", state: "givenUp", because: "it approves no more Pods" },
    { situation: "given up, and promoted", state: "dismissingLate" },
    { situation: "stalled", state: "undoing" },
    { situation: "crashing", state: "undoing" },
    { situation: "crashing while Pods are deleted", state: "awaitingDeletions" },
    {
      situation: "Pods of the complete revision wait",
      state: "approvingComplete",
      because: "they come first"
    },
    { situation: "complete, not marked", state: "recordingComplete" },
    { situation: "complete, aborted", state: "dismissingLate" },
    { situation: "complete after a rollback", state: "deletingUndoRecord" }
  ])("canary is $state: $situation", ({ situation, state }) => {
    const { state: value } = decisionAt(`canary, ${situation}`)
    const inner = (value as { readonly canary?: unknown }).canary
    expect(typeof inner === "object" ? Object.keys(inner ?? {})[0] : inner).toBe(state)
  })

  it.each([
    { situation: "with the Job of a superseded rollout", deletes: ["web-migrate-hash-1-1"] },
    { situation: "with a Job whose step is over", deletes: ["web-migrate-hash-2-1"] },
    { situation: "given up, with its Job", deletes: ["web-migrate-hash-2-1"] },
    { situation: "with the Job of its step", deletes: [] },
    {
      situation: "with Jobs of a later step and revision, started by another controller",
      deletes: [],
      because: "its own record may be an old one"
    }
  ])("canary deletes Jobs of hooks $deletes: $situation", ({ situation, deletes }) => {
    const { commands } = decisionAt(`canary, ${situation}`)
    expect(commands.filter((command) => command.startsWith("delete web-"))).toEqual(
      deletes.map((name) => `delete ${name}`)
    )
  })

  it("approves Pods of a complete revision before it deletes Jobs: the deletion may be refused", () => {
    const seen = steeringObservations.get("canary, with the Job of a superseded rollout")
    const { completePods = [] } = steeringObservations.get("canary, Pods of the complete revision wait") ?? {}
    if (seen === undefined) throw new Error("there is no such situation")
    const commandsFor = (conditionType: string) =>
      lookAt({ ...withGate(seen, conditionType), completePods }).commands.map(({ type }) => type)
    expect(commandsFor(approvalGate)).toEqual(["approve"])
    expect(commandsFor("example.com/warm")).toEqual(["deleteJobs", "recordEvent"])
  })

  it("deletes the Job of a strategy that is removed, though its new template has no ReplicaSet yet", () => {
    const seen = steeringObservations.get("canary, with the Job of its step")
    if (seen === undefined) throw new Error("there is no such situation")
    const { commands } = lookAt({ ...seen, strategy: undefined, newReplicaSet: undefined })
    expect(commands.map(({ type }) => type)).toEqual(["deleteJobs", "recordEvent"])
  })

  it.each([
    { situation: "one Pod is on record", approves: "web-v2-0" },
    {
      situation: "two Pods are on record, and none is approved",
      approves: "web-v2-0",
      because: "the step allows fewer now"
    },
    { situation: "third step", approves: "web-v2-1" },
    { situation: "all are approved", approves: "web-v2-1", because: "the last step needs no record" }
  ])("canary approves $approves, and goes on in its step: $situation", ({ situation, approves }) => {
    const { state, commands } = decisionAt(`canary, ${situation}`)
    expect(state).toEqual({ canary: expect.objectContaining({ awaitingPods: expect.anything() }) })
    expect(commands[0]).toBe(`approve ${approves}`)
  })

  it.each([...steeringObservations].filter(([, seen]) => approvedAt(seen).length > 0))(
    "goes on after an approval as the next look would: %s",
    (_situation, seen) => {
      const approval = { isGateOpen: true, reason: "Approved", message: "" }
      const approved = approvedAt(seen)
      const newPods = seen.newPods.map((pod) =>
        approved.includes(pod) ? withApprovalCondition(pod, approval, beginMillis) : pod
      )
      const { state, commands } = lookAt(seen)
      expect({ state, commands: commands.slice(1) }).toEqual(lookAt({ ...seen, newPods }))
    }
  )

  it("reserves as many Pods as the step has room for, and says which it did not see", () => {
    const [reserve] = decisionAt("canary, the Pod on record is gone").commands
    expect(reserve).toMatch(/"reserved":\["web-v2-0"\]/u)
    expect(decisionAt("canary, two Pods are up").commands[0]).toMatch(/"reserved":\["web-v2-0"\]/u)
  })

  it.each(["complete and marked", "complete, then Pods crash", "back at the first, complete"])(
    "judges a complete revision no more: %s",
    (situation) => {
      expect(decisionAt(situation).state).toBe("complete")
    }
  )

  it("records first that it gives up, and then says why it does not go back, and what its user can do", () => {
    expect(decisionAt("crashing, managed in Git").commands).toEqual([
      expect.stringMatching(/^record .*"aborted":\{"reason":"containers of new Pods restarted 4 times/u)
    ])
    const message =
      /: it crashed\. argocd-controller would apply the template again\. Revert it where it is managed, or apply another one\.$/u
    const { commands } = decisionAt("crashing, given up, managed in Git")
    expect(commands).toEqual([expect.stringMatching(message), "record Warning RollbackHeld"])
  })

  it("says that it was given up, whatever its condition says, and says it once", () => {
    const seen = steeringObservations.get("crashing, given up")
    const commandsWith = (condition: Pick<DeploymentCondition, "reason" | "message">) => {
      if (seen === undefined) return []
      const { deployment } = seen
      const conditions = [{ type: steeredCondition, status: "False", ...condition }]
      const chart = startChart(machine, makeClock(beginMillis))
      const reported = { ...deployment, status: { ...deployment.status, conditions } } as Deployment
      return chart.take({ type: "observed", seen: { ...seen, deployment: reported } }).map(commandText)
    }
    const [report = ""] = commandsWith({ reason: "Watching", message: "revision 2 is rolled out" })
    expect(report).toMatch(/^report Held: revision 2 \(web-.*\) failed and is not taken back: it crashed\. /u)
    const message = report.replace("report Held: ", "")
    expect(
      commandsWith({ reason: "Held", message: message.replace("revision 2", "revision 1") })
    ).toHaveLength(2)
    expect(commandsWith({ reason: "Held", message })).toEqual([])
  })

  it("writes the template, the record and the reason in one command", () => {
    expect(decisionAt("crashing").commands).toEqual([
      expect.stringMatching(/^go back to the template of web-/u),
      "record Warning RolledBack",
      expect.stringMatching(
        /^report RolledBack: Went back from revision 2 .* to revision 1 .*restarted 4 times/u
      )
    ])
  })

  it.each([
    { restarts: 0, says: "restarted 4 times, none is allowed: Error" },
    { restarts: 1, says: "restarted 4 times, 1 is allowed: Error" },
    { restarts: 3, says: "restarted 4 times, 3 are allowed: Error" }
  ])("counts restarts in words: $says", ({ restarts, says }) => {
    const budget = { restarts, startTimeoutMillis: 60_000 }
    const seen = steeringObservations.get("crashing")
    expect(seen && podsFailure(seen, budget)).toContain(says)
  })

  it("leaves a Deployment with an invalid strategy alone", () => {
    expect(decisionAt("an invalid strategy")).toEqual({
      state: "invalid",
      commands: [
        "report InvalidStrategy: charthouse.dev/strategy is not followed: no steering chart is called canari",
        "record Warning InvalidStrategy"
      ]
    })
  })
})
