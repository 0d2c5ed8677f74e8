import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { faultSchemaNames } from "../../../src/faults/faultSchemas.ts"
import { folder, problemsOf, read, started, story } from "./storyTexts.ts"

const deployment = readFileSync(join(folder, "web.yaml"), "utf8")

/** A fault of no such name, where no name is near it. */
const expectedFaults = (line: number, column: number, what: string): string =>
  `${line}:${column}: spec.steps[${line - 7}].fault ${what}; there are ${faultSchemaNames.join(", ")}`

const rows: ReadonlyArray<readonly [why: string, text: string, ...problems: ReadonlyArray<string>]> = [
  ["nothing at all", "# empty\n", " there is no Scenario in this file"],
  [
    "YAML that is none",
    "kind: [",
    "1:8: not readable as YAML: flow sequence in block collection must be sufficiently indented and end with a ]"
  ],
  [
    "another version",
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
    "a failure in no words at all",
    story("  steps: []\n  expectFailure: ' '\n"),
    "6:19: spec.expectFailure must not be empty"
  ],
  [
    "a failure that is expected in no words but yes",
    story("  steps: []\n  expectFailure: true\n"),
    "6:18: spec.expectFailure must be text, not true"
  ],
  ["a seed that is text", story('  seed: "1"\n  steps: []\n'), '5:10: spec.seed must be a number, not "1"'],
  ["a field given twice", story("  steps: []\n  seed: 1\n  seed: 2\n"), '7:3: duplicate field "spec.seed"'],
  [
    "a field that is none",
    story("  step: []\n  steps: []\n"),
    "5:3: spec.step is not a field here; did you mean steps?"
  ],
  [
    "an unknown fault with a near name",
    started("  - fault: crsh\n    pods: {}\n"),
    '7:12: spec.steps[0].fault "crsh" is not known; did you mean crash?'
  ],
  [
    "a fault written as a deed",
    started("  - crash: {deployment: web}\n"),
    "7:5: spec.steps[0].crash is not a deed; a fault is written fault: crash"
  ],
  [
    "a deed with a near name",
    started("  - scal: deployment/web\n    to: 3\n"),
    "7:5: spec.steps[0].scal is not a deed; did you mean scale?"
  ],
  [
    "two deeds in a step",
    started("  - pause: deployment/web\n    resume: deployment/web\n"),
    "8:5: spec.steps[0].resume is too much beside pause: a step does one thing, so make it two steps"
  ],
  [
    "no deed",
    started("  - at: 5s\n"),
    "7:5: spec.steps[0] does nothing: a step has one of apply, patch, scale, setImage, pause, resume, undo, delete, waitFor, expect, advance, fault"
  ],
  [
    "a step that is no map",
    started("  - pause\n"),
    "7:5: spec.steps[0] must be a map of fields: when, and one deed or fault"
  ],
  [
    "two times",
    started("  - at: 5s\n    when: available > 1\n    pause: deployment/web\n"),
    "8:5: spec.steps[0].when contradicts at: a step has one of at, after and when"
  ],
  [
    "a wait that waits for nothing",
    started("  - within: 5s\n    pause: deployment/web\n"),
    "7:5: spec.steps[0].within is how long to wait, and this step waits for nothing: it goes with when and waitFor"
  ],
  [
    "a duration without a unit",
    started("  - advance: 5\n"),
    '7:14: spec.steps[0].advance must be a duration with its unit, such as "250ms", "1.5s" or "1h30m", not 5'
  ],
  [
    "a duration of no such unit",
    started("  - advance: 5d\n"),
    '7:14: spec.steps[0].advance must be a duration with its unit, such as "250ms", "1.5s" or "1h30m", not "5d"'
  ],
  [
    "a time in the past",
    started(
      "  - at: 1m\n    pause: deployment/web\n  - advance: 30s\n  - at: 80s\n    resume: deployment/web\n"
    ),
    "10:9: spec.steps[2].at lies in the past: the step before it is not over before 1m30s"
  ],
  [
    "a time behind the limit",
    started("  - at: 2h\n    pause: deployment/web\n"),
    "7:9: spec.steps[0].at is never reached: the story ends at its limit of 1h"
  ],
  [
    "times that come together behind the limit",
    started("  - after: 50m\n    advance: 1s\n  - after: 50m\n    advance: 1h\n"),
    "9:12: spec.steps[1].after is never reached: it is 1h40m1s by then, and the story ends at its limit of 1h"
  ],
  [
    "a step that lasts beyond the limit",
    started("  - at: 50m\n    advance: 10m\n  - advance: 1s\n", "  limit: {time: 1h}\n"),
    "10:14: spec.steps[1].advance is never over: it is 1h1s by then, and the story ends at its limit of 1h"
  ],
  [
    "a jump of no time, at a time of its own and in the weather",
    started(
      "  - fault: clockJump\n    by: 0s\n",
      "  faults: [{at: 1s, fault: clockJump, by: 0s}]\n  weather: {every: 1s, until: 1m, faults: [{fault: clockJump, by: 0s}]}\n"
    ),
    "5:43: spec.faults[0].by must be above zero: a jump of no time is none",
    "6:67: spec.weather.faults[0].by must be above zero: a jump of no time is none",
    "10:9: spec.steps[0].by must be above zero: a jump of no time is none"
  ],
  [
    "readiness that comes and goes in no time",
    started("  - fault: flap\n    pods: {}\n    ready: 0s\n    unready: 0s\n"),
    "10:14: spec.steps[0].unready must be above zero where ready is 0s: readiness that comes and goes takes time"
  ],
  [
    "going back where there is nothing to go back to",
    started("  - undo: deployment/web\n  - scale: deployment/web\n    to: 9\n  - undo: deployment/web\n"),
    "7:11: spec.steps[0].undo can never happen: nothing changes the template of deployment/web before this"
  ],
  [
    "a revision that there can never be",
    started(
      "  - undo: deployment/web\n    toRevision: 7\n  - setImage: deployment/web\n    images: {web: b}\n  - undo: deployment/web\n    toRevision: 5\n"
    ),
    "8:17: spec.steps[0].toRevision can never happen: deployment/web has revision 1 alone by then",
    "12:17: spec.steps[2].toRevision can never happen: deployment/web has revisions 1 to 3 at the most by then"
  ],
  [
    "a condition that does not parse, in quotes",
    started('  - waitFor: "available >> 8"\n'),
    '7:26: spec.steps[0].waitFor "available >> 8" is no condition: available is compared with a number, a percentage or another measure, not ">"'
  ],
  [
    "a condition about what is not there yet",
    started("  - expect: service/web lost = 0\n"),
    "7:13: spec.steps[0].expect can never hold: no manifest brings service/web before this: there is no service at all"
  ],
  [
    "a condition about what is gone",
    started(
      "  - delete: deployment/web\n  - waitFor: deployment/web is complete\n  - expect: deployment/web is gone\n"
    ),
    "8:14: spec.steps[1].waitFor can never hold: deployment/web is deleted by step 1"
  ],
  [
    "an invariant of nobody",
    started("  - advance: 1s\n", "  invariants: [deployment/api available > 1]\n"),
    "5:16: spec.invariants[0] can never hold: no manifest brings deployment/api before this: there is deployment/web"
  ],
  [
    "an object that no manifest brings",
    started("  - scale: deployment/wbe\n    to: 3\n"),
    "7:12: spec.steps[0].scale can never happen: no manifest brings deployment/wbe before this: there is deployment/web"
  ],
  [
    "an object that comes too late",
    story("  steps:\n  - pause: deploy/web\n  - apply: web.yaml\n"),
    "6:12: spec.steps[0].pause can never happen: no manifest brings deployment/web before this: there is no deployment at all"
  ],
  [
    "a kind that nobody knows",
    started("  - delete: deploymint/web\n"),
    `7:13: spec.steps[0].delete the server doesn't have a resource type "deploymint": did you mean deployments.apps?`
  ],
  [
    "a kind that cannot be paused",
    started("  - pause: node/node-1\n"),
    '7:12: spec.steps[0].pause can never happen: nodes "node-1" pausing is not supported'
  ],
  [
    "a kind that has nothing to resume, undo, scale or set",
    started(
      "  - resume: rs/a\n  - undo: pod/a\n  - scale: service/a\n    to: 2\n  - setImage: node/node-1\n    images: {a: b}\n"
    ),
    '7:13: spec.steps[0].resume can never happen: replicasets.apps "a" resuming is not supported',
    '8:11: spec.steps[1].undo can never happen: no rollbacker has been implemented for "Pod"',
    '9:12: spec.steps[2].scale can never happen: a service has no scale: services "a" cannot be scaled',
    "11:15: spec.steps[3].setImage can never happen: a node has no containers"
  ],
  [
    "an image that is none",
    started('  - setImage: deployment/web\n    images: {web: ""}\n'),
    "8:20: spec.steps[0].images.web must not be empty"
  ],
  [
    "a fault without a name, and one whose name is like none",
    started("  - fault:\n  - fault: volcanic\n"),
    expectedFaults(7, 11, "is required"),
    expectedFaults(8, 12, '"volcanic" is not known')
  ],
  [
    "a container that is not there",
    started("  - setImage: deployment/web\n    images: {wbe: x}\n"),
    '8:14: spec.steps[0].images.wbe unable to find container named "wbe": deployment/web has web, sidecar'
  ],
  [
    "a node that is not there",
    started("  - fault: nodeLost\n    node: node-4\n"),
    "8:11: spec.steps[0].node can never be met: there is no node/node-4: there are node-1 to node-3"
  ],
  [
    "Pods of a Deployment that is not there",
    started("  - fault: kill\n    pods: {deployment: api}\n"),
    "8:24: spec.steps[0].pods.deployment can never be met: no manifest brings deployment/api before this: there is deployment/web"
  ],
  [
    "a field that the fault does not have",
    started("  - fault: hang\n    pods: {}\n    form: 5s\n"),
    "9:5: spec.steps[0].form is not a field here; did you mean for?"
  ],
  [
    "a revision of no Deployment",
    started("  - fault: kill\n    pods: {revision: old}\n"),
    "8:22: spec.steps[0].pods.revision is that of a deployment, and none is named here"
  ],
  [
    "Pods on a node that is not there, of a Deployment in another namespace",
    started("  - fault: kill\n    pods: {node: node-0, deployment: web, namespace: shop}\n"),
    "8:18: spec.steps[0].pods.node can never be met: there is no node/node-0: there are node-1 to node-3",
    "8:38: spec.steps[0].pods.deployment can never be met: no manifest brings deployment/web before this: there is deployment/web"
  ],
  [
    "a cluster without nodes",
    started("  - fault: nodeFull\n    node: node-1\n", "  nodes: 0\n"),
    "9:11: spec.steps[0].node can never be met: there is no node: the story says nodes: 0"
  ],
  [
    "writes of what is no resource",
    started("  - fault: writesRefused\n    of: pod\n    code: 409\n    resource: deployments\n"),
    "10:15: spec.steps[0].resource is no resource; did you mean deployments.apps?"
  ],
  [
    "writes of what is like no resource",
    started("  - fault: writesRefused\n    of: pod\n    code: 409\n    resource: everything\n"),
    "10:15: spec.steps[0].resource is no resource; write pods or deployments.apps"
  ],
  [
    "a condition on a time that never comes",
    started("  - when: deployment/api available > 1\n    advance: 1s\n"),
    "7:11: spec.steps[0].when can never hold: no manifest brings deployment/api before this: there is deployment/web"
  ],
  [
    "a time that a jump of the clock has left behind",
    started(
      "  - fault: clockJump\n    by: 1m\n  - after: 5s\n    advance: 1s\n  - at: 65s\n    advance: 1s\n"
    ),
    "11:9: spec.steps[2].at lies in the past: the step before it is not over before 1m6s"
  ],
  [
    "a condition of every Deployment, where there is none",
    story("  steps:\n  - waitFor: is complete\n  - apply: web.yaml\n"),
    "6:14: spec.steps[0].waitFor can never hold: no manifest brings a Deployment before this, and it is said of every Deployment"
  ],
  [
    "what is refused brings nothing",
    story("  steps:\n  - apply: web.yaml\n    expectRefused: no\n  - pause: deployment/web\n"),
    "7:20: spec.steps[0].expectRefused must be text, not false"
  ],
  [
    "what is to be refused brings nothing",
    story("  steps:\n  - apply: web.yaml\n    expectRefused: never\n  - pause: deployment/web\n"),
    "8:12: spec.steps[1].pause can never happen: no manifest brings deployment/web before this: there is no deployment at all"
  ],
  [
    "weather that never comes",
    started("  - advance: 1s\n", "  weather: {every: 0s, until: 2h, faults: [{fault: kill, pods: {}}]}\n"),
    "5:20: spec.weather.every must be above zero",
    "5:31: spec.weather.until is never reached: the story ends at its limit of 1h"
  ],
  [
    "an unknown behaviour",
    started("  - advance: 1s\n", "  behaviour: stedy\n"),
    '5:14: spec.behaviour no behaviour is called "stedy"; did you mean steady?'
  ],
  [
    "a behaviour that contradicts itself",
    started("  - advance: 1s\n", "  behaviours: [{name: odd, schedule: soon}]\n"),
    '5:38: spec.behaviours[0].schedule must be a duration with its unit, such as "250ms", "1.5s" or "1h30m", not "soon"'
  ],
  [
    "a file that does not exist",
    story("  start: wbe.yaml\n  steps: []\n"),
    '5:10: spec.start names the file "wbe.yaml": it does not exist'
  ],
  [
    "a file with something wrong in it",
    story("  start: wrong.yaml\n  steps: []\n"),
    'wrong.yaml:6:3: Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32'
  ],
  [
    "an object within the story that has something wrong",
    story(
      "  start:\n  - kind: ConfigMap\n    apiVersion: v1\n    metadata: {name: a}\n    dta: {}\n  steps: []\n"
    ),
    '9:5: ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "dta"'
  ],
  [
    "weather that is over before it begins",
    started("  - advance: 1s\n", "  weather: {every: 1s, from: 5m, until: 1m, faults: []}\n"),
    "5:41: spec.weather.until is over before it begins: it begins at 5m",
    "5:53: spec.weather.faults must have at least one"
  ],
  [
    "weather that is never drawn",
    started(
      "  - advance: 1s\n",
      "  weather: {every: 1s, until: 1m, faults: [{fault: kill, pods: {}, weight: 0}]}\n"
    ),
    "5:76: spec.weather.faults[0].weight must be a number above 0"
  ]
]

describe("a story is refused where it stands, in words:", () => {
  it.each(rows)("%s", async (_why, text, ...problems) => {
    expect(await problemsOf(text)).toEqual(problems)
  })
})

it("tells everything that is wrong at once, from the top to the bottom", async () => {
  const found = await problemsOf(
    started(
      "  - fault: crsh\n  - waitFor: ready\n  - pause: node/n\n  - scale: deployment/web\n    to: -1\n",
      "  seed: x\n"
    )
  )
  expect(found.map((line) => line.split(" ")[0])).toEqual(["5:9:", "8:12:", "9:19:", "10:12:", "12:9:"])
})

it("reads manifests and behaviours from files beside its own, and leaves them as they were written", async () => {
  const result = await read(
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
