import { and, not, or } from "xstate"
import { describe, expect, it } from "vitest"
import { containerMachine } from "../../../machines/container.ts"
import { deploymentMachine } from "../../../machines/deployment.ts"
import { explainGuard, findGuard } from "../../../machines/guards/guard.ts"
import { nodeMachine } from "../../../machines/node.ts"
import { podMachine } from "../../../machines/pod.ts"
import { replicaSetMachine } from "../../../machines/replicaSet.ts"
import { guardName as guardNameOf, guardNames } from "../../../src/inspect/charts/chartNames.ts"
import { guardReasonText } from "../../../src/explain/steps/guardReasonText.ts"
import { commandText } from "../../../src/kubernetes/apps/commands.ts"
import type { AnyStateMachine, AnyStateNode } from "xstate"
import type { Command } from "../../../src/kubernetes/apps/commands.ts"

const guardsIn = (node: AnyStateNode): ReadonlyArray<unknown> => [
  ...[...node.transitions.values(), node.always ?? []].flat().flatMap(({ guard }) => guard ?? []),
  ...Object.values(node.states).flatMap(guardsIn)
]

const charts: ReadonlyArray<AnyStateMachine> = [
  deploymentMachine(),
  replicaSetMachine,
  podMachine,
  containerMachine,
  nodeMachine
]

describe("the guards of a chart", () => {
  it.each(charts)("$id all have a reason text", (chart) => {
    const guards = guardsIn(chart.root)
    expect(guards.length).toBeGreaterThan(4)
    const silent = guards
      .filter((guard) =>
        guardNames(guard).some((name) => findGuard(chart.implementations.guards, name)?.reason === undefined)
      )
      .map(guardNameOf)
    expect(silent).toEqual([])
  })

  it("without a reason text are shown by name", () => {
    const args = { context: { seen: undefined }, event: { type: "observed" } }
    expect(guardReasonText("canary.mayShiftMore", deploymentMachine().implementations.guards, args)).toBe(
      "may shift more"
    )
    expect(guardReasonText("toString", {}, args)).toBe("to string")
  })

  it.each([
    [not("isRed"), "not is red"],
    [or(["isRed", "isBig"]), "is red or 3 of 2"],
    [not(or(["own.isRed", and(["isBig", "isOdd"])])), "not (is red or (3 of 2 and is odd))"],
    [not("isBig"), "3 of 2"],
    [and(["isBig", "isBig"]), "3 of 2; 3 of 2"],
    [undefined, ""]
  ])("are joined by their operators, unless all have a reason text: %#", (guard, text) => {
    const guards = {
      isBig: explainGuard(
        () => true,
        "big",
        () => "3 of 2"
      )
    }
    expect(guardReasonText(guard, guards, { context: {}, event: { type: "observed" } })).toBe(text)
  })
})

describe("the text of a command", () => {
  const rows: ReadonlyArray<{ readonly command: Command; readonly text: string }> = [
    { command: { type: "createPods", count: 1 }, text: "create 1 Pod" },
    { command: { type: "deletePods", count: 3 }, text: "delete 3 Pods" },
    { command: { type: "adoptPod", child: { name: "web-1", uid: "u" } }, text: "adopt web-1" },
    { command: { type: "releaseReplicaSet", child: { name: "web-1", uid: "u" } }, text: "release web-1" },
    {
      command: { type: "scaleReplicaSet", name: "web-1", replicasFrom: 4, replicasTo: 4, annotations: {} },
      text: "note the new size of the Deployment on web-1, which stays at 4"
    },
    { command: { type: "rollBack", to: undefined }, text: "drop the request to go back" },
    { command: { type: "showRevision", revision: "7" }, text: "annotate the Deployment with revision 7" },
    {
      command: { type: "annotateDeployment", annotations: { "a.io/since": "7", "a.io/until": undefined } },
      text: "annotate the Deployment with a.io/since=7, no a.io/until"
    },
    { command: { type: "evictPods", keys: ["a/b", "a/c"] }, text: "evict a/b, a/c" },
    {
      command: { type: "report", report: { part: "noCondition", conditionType: "Progressing" } },
      text: "report no Progressing"
    },
    { command: { type: "lookAgain" }, text: "look again" }
  ]
  it.each(rows)("$text", ({ command, text }) => expect(commandText(command)).toBe(text))
})
