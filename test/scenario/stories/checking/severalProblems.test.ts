import { describe, expect, it } from "vitest"
import { deploymentManifest } from "../../../cluster/testCluster.ts"
import { problemsOf, storyWithWeb, story } from "./storyTexts.ts"
import { storyProblems } from "../../../../src/scenario/stories/checking/storyProblems.ts"
import type { Story } from "../../../../src/scenario/stories/story.ts"

const noWob = "no manifest before this creates deployment/wob: there is deployment/web"
const noDuration = 'must be a duration with its unit, such as "250ms", "1.5s" or "1h30m", not "5x"'
const notState =
  'spec.steps[0].expect "deployment/wob is not gon and deployment/web is not x" is no condition:'
const allStates = "a deployment can be complete, failed, paused, progressing, available or gone"
const notRead =
  'spec.steps[0].expect "deployment/wob ready > x and service/web ready > 0, ready > 5 and ready < 3" is no condition:'

describe("a problem does not hide another one", () => {
  it.for<readonly [why: string, text: string, ...problems: ReadonlyArray<string>]>([
    [
      "in the same step",
      storyWithWeb("  - scale: deployment/wob\n    to: -1\n"),
      `7:12: spec.steps[0].scale can never happen: ${noWob}`,
      "8:9: spec.steps[0].to must be a whole number from 0 on"
    ],
    [
      "in another step, beside an unknown field",
      storyWithWeb("  - pause: deployment/web\n    withn: 3\n  - expect: deployment/wob ready > 0\n"),
      "8:5: spec.steps[0].withn is not a field here; did you mean within?",
      `9:13: spec.steps[1].expect can never hold: ${noWob}`
    ],
    [
      "beside a second action",
      storyWithWeb("  - pause: deployment/web\n    resume: deployment/web\n  - pause: deployment/wob\n"),
      "8:5: spec.steps[0].resume cannot stand beside pause: a step does one thing, so make it two steps",
      `9:12: spec.steps[1].pause can never happen: ${noWob}`
    ],
    [
      "in a fault among the steps",
      storyWithWeb("  - fault: kill\n    pods: {count: 0, deployment: wob}\n    for: 5x\n"),
      "8:19: spec.steps[0].pods.count must be a whole number from 1 on",
      `8:34: spec.steps[0].pods.deployment can never be met: ${noWob}`,
      `9:10: spec.steps[0].for ${noDuration}`
    ],
    [
      "among invariants",
      storyWithWeb("  - advance: 1s\n", "  invariants: [5, deployment/wob ready > 0]\n"),
      "5:16: spec.invariants[0] must be text, not 5",
      `5:19: spec.invariants[1] can never hold: ${noWob}`
    ],
    [
      "in faults and weather",
      storyWithWeb(
        "  - advance: 1s\n",
        "  faults: [{at: 5x, fault: nodeLost, node: node-1}, {at: 2h, fault: nodeLost, node: node-9}]\n" +
          "  weather: {every: 5x, until: 2h, faults: [{fault: nodeLost, node: node-8}]}\n"
      ),
      `5:17: spec.faults[0].at ${noDuration}`,
      "5:58: spec.faults[1].at is never reached: the story ends at its limit of 1h",
      "5:85: spec.faults[1].node can never be met: there is no node/node-9: there are node-1 to node-3",
      `6:20: spec.weather.every ${noDuration}`,
      "6:31: spec.weather.until is never reached: the story ends at its limit of 1h",
      "6:68: spec.weather.faults[0].node can never be met: there is no node/node-8: there are node-1 to node-3"
    ],
    [
      "in a contradictory condition, each once",
      storyWithWeb("  - expect: deployment/wob ready > 5 and deployment/wob ready < 3\n"),
      "7:13: spec.steps[0].expect can never hold: ready is never > 5 and < 3",
      `7:13: spec.steps[0].expect can never hold: ${noWob}`
    ],
    [
      "in negated states",
      storyWithWeb("  - expect: deployment/wob is not gon and deployment/web is not x\n"),
      `7:13: spec.steps[0].expect can never hold: ${noWob}`,
      `7:35: ${notState} unknown state "gon": ${allStates}`,
      `7:65: ${notState} unknown state "x": ${allStates}`
    ],
    [
      "in several clauses of a condition",
      storyWithWeb(
        "  - expect: deployment/wob ready > x and service/web ready > 0, ready > 5 and ready < 3\n"
      ),
      "7:13: spec.steps[0].expect can never hold: ready is never > 5 and < 3",
      `7:13: spec.steps[0].expect can never hold: ${noWob}`,
      `7:36: ${notRead} ready is compared with a number, a percentage or another measure, not "x"`,
      "7:42: spec.steps[0].expect can never hold: no manifest before this creates service/web: there is no service at all",
      `7:63: ${notRead} "," is unexpected: conditions are joined by "and"`
    ]
  ])("%s", async ([_why, text, ...problems]) => {
    expect(await problemsOf(text)).toEqual(problems)
  })

  it("in a story in a program", () => {
    const steps = [{ pause: "deployment/wob", within: "5x" }]
    const untyped: unknown = { name: "a", start: deploymentManifest({}), steps }
    expect(storyProblems(untyped as Story)).toEqual([
      "start must be a list of objects",
      "steps[0].within is how long to wait, and this step waits for nothing: it goes with when and waitFor",
      `steps[0].within ${noDuration}`,
      `steps[0].pause can never happen: ${noWob}`
    ])
  })
})

describe("an unreadable part causes no further problem:", () => {
  it.for<readonly [why: string, text: string, ...problems: ReadonlyArray<string>]>([
    [
      "a step that may apply an object",
      storyWithWeb(
        "  - aply: api.yaml\n  - pause: deployment/wob\n",
        "  invariants: [deployment/wob ready >= 0]\n"
      ),
      "8:5: spec.steps[0].aply is no action; did you mean apply?"
    ],
    [
      "an object of a missing file",
      storyWithWeb("  - apply: nowhere.yaml\n    within: 3\n  - pause: deployment/wob\n"),
      '7:12: spec.steps[0].apply names the file "nowhere.yaml": it does not exist',
      "8:5: spec.steps[0].within is how long to wait, and this step waits for nothing: it goes with when and waitFor",
      '8:13: spec.steps[0].within must be a duration with its unit, such as "250ms", "1.5s" or "1h30m", not 3'
    ],
    [
      "steps that are no list",
      story("  start: web.yaml\n  invariants: [deployment/wob ready >= 0]\n  steps: {}\n"),
      "7:10: spec.steps must be a list, not a map"
    ],
    [
      "the number of nodes",
      storyWithWeb("  - fault: nodeLost\n    node: node-9\n", "  nodes: many\n"),
      "5:10: spec.nodes must be a number of nodes, or a map of count, pods, cpu, memory, resources, zones, region, " +
        "instanceType, labels, lostAfterSeconds"
    ],
    [
      "the limit",
      storyWithWeb("  - at: 90m\n    advance: 1s\n", "  limit: {time: 5x}\n"),
      `5:17: spec.limit.time ${noDuration}`
    ],
    [
      "the images of a step that makes a revision",
      storyWithWeb(
        "  - setImage: deployment/web\n    images: 5\n  - undo: deployment/web\n    toRevision: 2\n"
      ),
      "8:13: spec.steps[0].images must be a map of fields, not 5"
    ],
    [
      "the object of a step that makes a revision",
      storyWithWeb("  - setImage: 5\n    images: {web: a}\n  - undo: deployment/web\n    toRevision: 2\n"),
      "7:15: spec.steps[0].setImage must be text, not 5"
    ],
    [
      "the node of a fault",
      storyWithWeb("  - advance: 1s\n", "  faults: [{at: 1s, fault: nodeLost, node: 5}]\n"),
      "5:44: spec.faults[0].node must be text, not 5"
    ],
    [
      "the end of the weather",
      storyWithWeb(
        "  - advance: 1s\n",
        "  weather: {every: 5s, until: 5x, faults: [{fault: nodeFull, node: node-1}]}\n"
      ),
      `5:31: spec.weather.until ${noDuration}`
    ],
    [
      "the state in a clause",
      storyWithWeb("  - expect: deployment/wob is gon\n"),
      '7:31: spec.steps[0].expect "deployment/wob is gon" is no condition: unknown state "gon": ' + allStates
    ],
    [
      "a clause without an object",
      story("  steps:\n  - expect: lost = 0\n"),
      '6:13: spec.steps[0].expect "lost = 0" is no condition: a deployment has no lost: write service/NAME lost; a deployment has desired, existing, pods, ready, available, updated, terminating, unavailable, revision, restarts'
    ],
    [
      "the duration of a clockJump",
      storyWithWeb("  - fault: clockJump\n    by: 5x\n"),
      `8:9: spec.steps[0].by ${noDuration}`
    ]
  ])("%s", async ([_why, text, ...problems]) => {
    expect(await problemsOf(text)).toEqual(problems)
  })

  it("an invalid limit.steps does not hide a time after limit.time", async () => {
    const limited = (time: string): string =>
      storyWithWeb("  - at: 90m\n    advance: 1s\n", `  limit: {time: ${time}, steps: 0}\n`)
    const problem = "5:28: spec.limit.steps must be a whole number from 1 on"
    expect(await problemsOf(limited("2h"))).toEqual([problem])
    expect(await problemsOf(limited("1h"))).toEqual([
      problem,
      "8:9: spec.steps[0].at is never reached: the story ends at its limit of 1h"
    ])
  })
})
