import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { faultSchemaNames } from "../../../../src/faults/schemas/faultSchemas.ts"
import { folder, problemsOf, readText, storyWithWeb, story } from "./storyTexts.ts"

const deployment = readFileSync(join(folder, "web.yaml"), "utf8")

/** The problem of a fault whose name resembles none. */
const expectedFaults = (line: number, column: number, what: string): string =>
  `${line}:${column}: spec.steps[${line - 7}].fault ${what}; there are ${faultSchemaNames.join(", ")}`

const rows: ReadonlyArray<readonly [why: string, text: string, ...problems: ReadonlyArray<string>]> = [
  ["an empty file", "# empty\n", " there is no Scenario in this file"],
  [
    "invalid YAML",
    "kind: [",
    "1:8: not readable as YAML: flow sequence in block collection must be sufficiently indented and end with a ]"
  ],
  [
    "another apiVersion",
    "apiVersion: charthouse.dev/v2\nkind: Scenario\n",
    '1:13: no kind "Scenario" is registered for version "charthouse.dev/v2": there is charthouse.dev/v1'
  ],
  ["another kind", deployment, '2:7: this is of kind "Deployment", and a story is a Scenario'],
  [
    "two documents",
    `${story("  steps: []\n")}---\nkind: Deployment\n`,
    "7:1: a file has one Scenario and nothing beside it, and here begins another document: Deployment"
  ],
  ["no steps", story("  seed: 1\n"), "5:3: spec.steps is required"],
  ["a seed that is no integer", story("  seed: 1.5\n  steps: []\n"), "5:9: spec.seed must be an integer"],
  [
    "a startTime without a time of day",
    story("  startTime: 2026-03-15\n  steps: []\n"),
    "5:14: spec.startTime must be a time such as 2026-01-01T00:00:00Z"
  ],
  [
    "a startTime on 30 February",
    story("  startTime: 2026-02-30T00:00:00Z\n  steps: []\n"),
    "5:14: spec.startTime must be a time such as 2026-01-01T00:00:00Z"
  ],
  [
    "an empty expectFailure",
    story("  steps: []\n  expectFailure: ' '\n"),
    "6:19: spec.expectFailure must not be empty"
  ],
  [
    "an expectFailure that is no text",
    story("  steps: []\n  expectFailure: true\n"),
    "6:18: spec.expectFailure must be text, not true"
  ],
  ["a seed that is text", story('  seed: "1"\n  steps: []\n'), '5:10: spec.seed must be a number, not "1"'],
  ["a field given twice", story("  steps: []\n  seed: 1\n  seed: 2\n"), '7:3: duplicate field "spec.seed"'],
  [
    "an unknown field",
    story("  step: []\n  steps: []\n"),
    "5:3: spec.step is not a field here; did you mean steps?"
  ],
  [
    "an unknown fault with a near name",
    storyWithWeb("  - fault: crsh\n    pods: {}\n"),
    '7:12: spec.steps[0].fault "crsh" is not known; did you mean crash?'
  ],
  [
    "a fault written as an action",
    storyWithWeb("  - crash: {deployment: web}\n"),
    "7:5: spec.steps[0].crash is no action; a fault is written fault: crash"
  ],
  [
    "an unknown action that resembles one",
    storyWithWeb("  - scal: deployment/web\n    to: 3\n"),
    "7:5: spec.steps[0].scal is no action; did you mean scale?"
  ],
  [
    "two actions in a step",
    storyWithWeb("  - pause: deployment/web\n    resume: deployment/web\n"),
    "8:5: spec.steps[0].resume cannot stand beside pause: a step does one thing, so make it two steps"
  ],
  [
    "no action",
    storyWithWeb("  - at: 5s\n"),
    "7:5: spec.steps[0] does nothing: a step has one of apply, patch, scale, setImage, pause, resume, undo, delete, waitFor, expect, advance, setLoad, setMetric, fault"
  ],
  [
    "a step that is no map",
    storyWithWeb("  - pause\n"),
    "7:5: spec.steps[0] must be a map of fields: at, after or when, and one action or fault"
  ],
  [
    "both at and when",
    storyWithWeb("  - at: 5s\n    when: available > 1\n    pause: deployment/web\n"),
    "8:5: spec.steps[0].when contradicts at: a step has one of at, after and when"
  ],
  [
    "within without a wait",
    storyWithWeb("  - within: 5s\n    pause: deployment/web\n"),
    "7:5: spec.steps[0].within is how long to wait, and this step waits for nothing: it goes with when and waitFor"
  ],
  [
    "a duration without a unit",
    storyWithWeb("  - advance: 5\n"),
    '7:14: spec.steps[0].advance must be a duration with its unit, such as "250ms", "1.5s" or "1h30m", not 5'
  ],
  [
    "a duration with an unknown unit",
    storyWithWeb("  - advance: 5d\n"),
    '7:14: spec.steps[0].advance must be a duration with its unit, such as "250ms", "1.5s" or "1h30m", not "5d"'
  ],
  [
    "a time in the past",
    storyWithWeb(
      "  - at: 1m\n    pause: deployment/web\n  - advance: 30s\n  - at: 80s\n    resume: deployment/web\n"
    ),
    "10:9: spec.steps[2].at lies in the past: the step before it is not over before 1m30s"
  ],
  [
    "a time after the limit",
    storyWithWeb("  - at: 2h\n    pause: deployment/web\n"),
    "7:9: spec.steps[0].at is never reached: the story ends at its limit of 1h"
  ],
  [
    "times that add up to more than the limit",
    storyWithWeb("  - after: 50m\n    advance: 1s\n  - after: 50m\n    advance: 1h\n"),
    "9:12: spec.steps[1].after is never reached: it is 1h40m1s by then, and the story ends at its limit of 1h"
  ],
  [
    "a step that ends after the limit",
    storyWithWeb("  - at: 50m\n    advance: 10m\n  - advance: 1s\n", "  limit: {time: 1h}\n"),
    "10:14: spec.steps[1].advance is never over: it is 1h1s by then, and the story ends at its limit of 1h"
  ],
  [
    "a clockJump by 0s, in a step, in faults and in weather",
    storyWithWeb(
      "  - fault: clockJump\n    by: 0s\n",
      "  faults: [{at: 1s, fault: clockJump, by: 0s}]\n  weather: {every: 1s, until: 1m, faults: [{fault: clockJump, by: 0s}]}\n"
    ),
    "5:43: spec.faults[0].by must be above zero: a jump of no time is none",
    "6:67: spec.weather.faults[0].by must be above zero: a jump of no time is none",
    "10:9: spec.steps[0].by must be above zero: a jump of no time is none"
  ],
  [
    "a flap with ready and unready of 0s",
    storyWithWeb("  - fault: flap\n    pods: {}\n    ready: 0s\n    unready: 0s\n"),
    "10:14: spec.steps[0].unready must be above zero where ready is 0s: readiness that comes and goes takes time"
  ],
  [
    "an undo without an earlier revision",
    storyWithWeb(
      "  - undo: deployment/web\n  - scale: deployment/web\n    to: 9\n  - undo: deployment/web\n"
    ),
    "7:11: spec.steps[0].undo can never happen: nothing changes the template of deployment/web before this"
  ],
  [
    "an undo to a revision that cannot exist",
    storyWithWeb(
      "  - undo: deployment/web\n    toRevision: 7\n  - setImage: deployment/web\n    images: {web: b}\n  - undo: deployment/web\n    toRevision: 5\n"
    ),
    "8:17: spec.steps[0].toRevision can never happen: deployment/web has revision 1 alone by then",
    "12:17: spec.steps[2].toRevision can never happen: deployment/web has revisions 1 to 3 at the most by then"
  ],
  [
    "a condition that does not parse",
    storyWithWeb('  - waitFor: "available >> 8"\n'),
    '7:26: spec.steps[0].waitFor "available >> 8" is no condition: available is compared with a number, a percentage or another measure, not ">"'
  ],
  [
    "a condition on an object that does not exist yet",
    storyWithWeb("  - expect: service/web lost = 0\n"),
    "7:13: spec.steps[0].expect can never hold: no manifest before this creates service/web: there is no service at all"
  ],
  [
    "a condition on a deleted object",
    storyWithWeb(
      "  - delete: deployment/web\n  - waitFor: deployment/web is complete\n  - expect: deployment/web is gone\n"
    ),
    "8:14: spec.steps[1].waitFor can never hold: deployment/web is deleted by step 1"
  ],
  [
    "an invariant on a missing object",
    storyWithWeb("  - advance: 1s\n", "  invariants: [deployment/api available > 1]\n"),
    "5:16: spec.invariants[0] can never hold: no manifest before this creates deployment/api: there is deployment/web"
  ],
  [
    "an object in no manifest",
    storyWithWeb("  - scale: deployment/wbe\n    to: 3\n"),
    "7:12: spec.steps[0].scale can never happen: no manifest before this creates deployment/wbe: there is deployment/web"
  ],
  [
    "an object that is applied later",
    story("  steps:\n  - pause: deploy/web\n  - apply: web.yaml\n"),
    "6:12: spec.steps[0].pause can never happen: no manifest before this creates deployment/web: there is no deployment at all"
  ],
  [
    "an unknown kind",
    storyWithWeb("  - delete: deploymint/web\n"),
    `7:13: spec.steps[0].delete the server doesn't have a resource type "deploymint": did you mean deployments.apps?`
  ],
  [
    "a kind that cannot be paused",
    storyWithWeb("  - pause: node/node-1\n"),
    '7:12: spec.steps[0].pause can never happen: nodes "node-1" pausing is not supported'
  ],
  [
    "a kind that cannot be resumed, undone, scaled or given an image",
    storyWithWeb(
      "  - resume: rs/a\n  - undo: pod/a\n  - scale: service/a\n    to: 2\n  - setImage: node/node-1\n    images: {a: b}\n"
    ),
    '7:13: spec.steps[0].resume can never happen: replicasets.apps "a" resuming is not supported',
    '8:11: spec.steps[1].undo can never happen: no rollbacker has been implemented for "Pod"',
    '9:12: spec.steps[2].scale can never happen: a service has no scale: services "a" cannot be scaled',
    "11:15: spec.steps[3].setImage can never happen: a node has no containers"
  ],
  [
    "Pods of a StatefulSet that does not exist, and of two owners",
    storyWithWeb(
      "  - fault: kill\n    pods: {statefulSet: db}\n  - fault: kill\n    pods: {deployment: web, job: sums}\n"
    ),
    "8:25: spec.steps[0].pods.statefulSet can never be met: no manifest before this creates statefulset/db: there is no statefulset at all",
    "10:34: spec.steps[1].pods.job can never be met: pods names a Deployment and a Job: a Pod has one owner"
  ],
  [
    "an empty image",
    storyWithWeb('  - setImage: deployment/web\n    images: {web: ""}\n'),
    "8:20: spec.steps[0].images.web must not be empty"
  ],
  [
    "a fault without a name, and one that resembles none",
    storyWithWeb("  - fault:\n  - fault: volcanic\n"),
    expectedFaults(7, 11, "is required"),
    expectedFaults(8, 12, '"volcanic" is not known')
  ],
  [
    "a missing container",
    storyWithWeb("  - setImage: deployment/web\n    images: {wbe: x}\n"),
    '8:14: spec.steps[0].images.wbe unable to find container named "wbe": deployment/web has web, sidecar'
  ],
  [
    "a missing node",
    storyWithWeb("  - fault: nodeLost\n    node: node-4\n"),
    "8:11: spec.steps[0].node can never be met: there is no node/node-4: there are node-1 to node-3"
  ],
  [
    "Pods of a missing Deployment",
    storyWithWeb("  - fault: kill\n    pods: {deployment: api}\n"),
    "8:24: spec.steps[0].pods.deployment can never be met: no manifest before this creates deployment/api: there is deployment/web"
  ],
  [
    "an unknown field of a fault",
    storyWithWeb("  - fault: hang\n    pods: {}\n    form: 5s\n"),
    "9:5: spec.steps[0].form is not a field here; did you mean for?"
  ],
  [
    "pods.revision without pods.deployment",
    storyWithWeb("  - fault: kill\n    pods: {revision: old}\n"),
    "8:22: spec.steps[0].pods.revision is a workload's revision, and no workload is named here"
  ],
  [
    "Pods on a missing node, of a Deployment in another namespace",
    storyWithWeb("  - fault: kill\n    pods: {node: node-0, deployment: web, namespace: shop}\n"),
    "8:18: spec.steps[0].pods.node can never be met: there is no node/node-0: there are node-1 to node-3",
    "8:38: spec.steps[0].pods.deployment can never be met: no manifest before this creates deployment/web: there is deployment/web"
  ],
  [
    "a cluster without nodes",
    storyWithWeb("  - fault: nodeFull\n    node: node-1\n", "  nodes: 0\n"),
    "9:11: spec.steps[0].node can never be met: there is no node: the story says nodes: 0"
  ],
  [
    "an unknown resource that resembles one",
    storyWithWeb("  - fault: writesRefused\n    of: pod\n    code: 409\n    resource: deployments\n"),
    "10:15: spec.steps[0].resource is no resource; did you mean deployments.apps?"
  ],
  [
    "an unknown resource",
    storyWithWeb("  - fault: writesRefused\n    of: pod\n    code: 409\n    resource: everything\n"),
    "10:15: spec.steps[0].resource is no resource; write pods or deployments.apps"
  ],
  [
    "a when that can never hold",
    storyWithWeb("  - when: deployment/api available > 1\n    advance: 1s\n"),
    "7:11: spec.steps[0].when can never hold: no manifest before this creates deployment/api: there is deployment/web"
  ],
  [
    "a time that a clockJump has passed",
    storyWithWeb(
      "  - fault: clockJump\n    by: 1m\n  - after: 5s\n    advance: 1s\n  - at: 65s\n    advance: 1s\n"
    ),
    "11:9: spec.steps[2].at lies in the past: the step before it is not over before 1m6s"
  ],
  [
    "a condition on every Deployment without a Deployment",
    story("  steps:\n  - waitFor: is complete\n  - apply: web.yaml\n"),
    "6:14: spec.steps[0].waitFor can never hold: no manifest before this creates a Deployment, and a condition without a subject is about all of them"
  ],
  [
    "an expectRefused that is no text",
    story("  steps:\n  - apply: web.yaml\n    expectRefused: no\n  - pause: deployment/web\n"),
    "7:20: spec.steps[0].expectRefused must be text, not false"
  ],
  [
    "an object whose apply is to be refused",
    story("  steps:\n  - apply: web.yaml\n    expectRefused: never\n  - pause: deployment/web\n"),
    "8:12: spec.steps[1].pause can never happen: no manifest before this creates deployment/web: there is no deployment at all"
  ],
  [
    "weather without an interval, until after the limit",
    storyWithWeb(
      "  - advance: 1s\n",
      "  weather: {every: 0s, until: 2h, faults: [{fault: kill, pods: {}}]}\n"
    ),
    "5:20: spec.weather.every must be above zero",
    "5:31: spec.weather.until is never reached: the story ends at its limit of 1h"
  ],
  [
    "an unknown behaviour",
    storyWithWeb("  - advance: 1s\n", "  behaviour: stedy\n"),
    '5:14: spec.behaviour no behaviour is called "stedy"; did you mean steady?'
  ],
  [
    "an invalid behaviour",
    storyWithWeb("  - advance: 1s\n", "  behaviours: [{name: odd, schedule: soon}]\n"),
    '5:38: spec.behaviours[0].schedule must be a duration with its unit, such as "250ms", "1.5s" or "1h30m", not "soon"'
  ],
  [
    "a missing file",
    story("  start: wbe.yaml\n  steps: []\n"),
    '5:10: spec.start names the file "wbe.yaml": it does not exist'
  ],
  [
    "a file with an invalid manifest",
    story("  start: wrong.yaml\n  steps: []\n"),
    'wrong.yaml:6:3: Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32'
  ],
  [
    "an invalid manifest in the story",
    story(
      "  start:\n  - kind: ConfigMap\n    apiVersion: v1\n    metadata: {name: a}\n    dta: {}\n  steps: []\n"
    ),
    '9:5: ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "dta"'
  ],
  [
    "weather that ends before it begins",
    storyWithWeb("  - advance: 1s\n", "  weather: {every: 1s, from: 5m, until: 1m, faults: []}\n"),
    "5:41: spec.weather.until is over before it begins: it begins at 5m",
    "5:53: spec.weather.faults must have at least one"
  ],
  [
    "weather of weight 0",
    storyWithWeb(
      "  - advance: 1s\n",
      "  weather: {every: 1s, until: 1m, faults: [{fault: kill, pods: {}, weight: 0}]}\n"
    ),
    "5:76: spec.weather.faults[0].weight must be a number above 0"
  ]
]

describe("a YAML story is refused with line and column for", () => {
  it.each(rows)("%s", async (_why, text, ...problems) => {
    expect(await problemsOf(text)).toEqual(problems)
  })
})

it("all problems of a story are reported at once, in the order of lines", async () => {
  const found = await problemsOf(
    storyWithWeb(
      "  - fault: crsh\n  - waitFor: ready\n  - pause: node/n\n  - scale: deployment/web\n    to: -1\n",
      "  seed: x\n"
    )
  )
  expect(found.map((line) => line.split(" ")[0])).toEqual(["5:9:", "8:12:", "9:19:", "10:12:", "12:9:"])
})

it("a story reads manifests and behaviours from files beside its own", async () => {
  const result = await readText(
    story(
      "  start: [web.yaml, {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}]\n  behaviours: slow.yaml\n  behaviour: slow\n  steps:\n  - apply: web.yaml\n    at: 1m\n"
    )
  )
  expect(result._tag === "Success" ? result.success : result.failure.message).toMatchObject({
    name: "bad",
    behaviour: "slow",
    behaviours: [{ name: "slow", ready: "9s" }],
    start: [
      { kind: "Deployment", spec: { replicas: 3 } },
      { kind: "ConfigMap", metadata: { name: "a", namespace: "default" } }
    ],
    steps: [{ at: "1m", apply: [{ kind: "Deployment" }] }]
  })
})
