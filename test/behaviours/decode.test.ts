import { expect, test } from "vitest"
import type { Behaviour, BehaviourSpec } from "../../src/behaviours/behaviour.ts"
import { builtInBehaviours } from "../../src/behaviours/builtInBehaviours.ts"
import {
  behaviourToDocument,
  decodeBehaviour,
  decodeBehaviours,
  defineBehaviour
} from "../../src/behaviours/decodeBehaviour.ts"
import { aDocument, everything } from "./documents.ts"

const problemsOf = (document: unknown): ReadonlyArray<string> => {
  const decoded = decodeBehaviour(document)
  return decoded.ok ? [] : decoded.problems.map(({ path, message }) => `${path}: ${message}`)
}

const unitProblem =
  'must be a duration with its unit, such as "250ms", "1.5s" or "1h30m" (a bare number has none), ' +
  "or one of the distributions uniform, normal and exponential"

test("a document with every field becomes the behaviour of that name", () => {
  expect(decodeBehaviour(aDocument(everything, "flaky.v2"))).toEqual({
    ok: true,
    behaviour: { name: "flaky.v2", ...everything }
  })
})

test("an empty spec is a behaviour", () => {
  expect(decodeBehaviour(aDocument({}, "quiet"))).toEqual({ ok: true, behaviour: { name: "quiet" } })
})

test("a decoded behaviour can no longer be changed", () => {
  const decoded = decodeBehaviour(aDocument(everything))
  expect(decoded.ok && Object.isFrozen(decoded.behaviour.containers?.["sidecar"]?.pull)).toBe(true)
})

test.each<{ spec: unknown; problem: string; why: string }>([
  { spec: { schedule: 5 }, problem: `schedule: ${unitProblem}`, why: "seconds or milliseconds?" },
  { spec: { schedule: null }, problem: `schedule: ${unitProblem}`, why: "an empty field in YAML" },
  {
    spec: { ready: "5" },
    problem: 'ready: must be a duration with its unit, such as "250ms", "1.5s" or "1h30m", not "5"',
    why: "text without a unit"
  },
  { spec: { start: "-3s" }, problem: "start: must not be negative, as -3s is", why: "no time machine" },
  {
    spec: { start: "250us" },
    problem: "start: must be whole milliseconds, which 250us is not",
    why: "the clock has no finer step"
  },
  {
    spec: { pull: { delay: { uniform: ["2s", "1s"] } } },
    problem: "pull.delay.uniform: the first bound, 2s, must not exceed the second, 1s",
    why: "min above max"
  },
  { spec: { hang: { uniform: ["2s"] } }, problem: "hang.uniform[1]: is required", why: "one bound" },
  {
    spec: { hang: { uniform: ["1s", "2s", "3s"] } },
    problem: "hang.uniform[2]: is too much: there are 2",
    why: "three bounds"
  },
  {
    spec: { hang: { uniform: ["1s", "-2s"] } },
    problem: "hang.uniform[1]: must not be negative, as -2s is",
    why: "the path leads to the bound"
  },
  {
    spec: { hang: { normal: { mean: "1s" } } },
    problem: "hang.normal.deviation: is required",
    why: "half a distribution"
  },
  {
    spec: { hang: {} },
    problem: "hang: must be exactly one of uniform, normal and exponential",
    why: "no distribution"
  },
  {
    spec: { hang: { exponential: { mean: "1s" }, uniform: ["1s", "2s"] } },
    problem: "hang: must be exactly one of uniform, normal and exponential",
    why: "two distributions"
  },
  {
    spec: { hang: { gaussian: { mean: "1s" } } },
    problem: "hang.gaussian: is not a field here; the fields are uniform, normal, exponential",
    why: "an unknown distribution"
  },
  {
    spec: { pull: { failures: -1 } },
    problem: "pull.failures: must be a whole number from 0 on, or forever",
    why: "fewer than none"
  },
  {
    spec: { pull: { failures: "always" } },
    problem: "pull.failures: must be a whole number from 0 on, or forever",
    why: "the word is forever"
  },
  {
    spec: { pull: { error: "denied" } },
    problem: "pull.error: is never told: say with failures how many pulls fail",
    why: "the pull does not fail"
  },
  {
    spec: { pull: { failures: 3 }, containers: { app: { pull: { error: "denied", failures: 0 } } } },
    problem: "containers.app.pull.error: is never told: say with failures how many pulls fail",
    why: "this container's pull does not fail"
  },
  {
    spec: { exit: { after: "3s", times: 0 } },
    problem: "exit.times: must be a whole number from 1 on, or forever",
    why: "an exit that never happens"
  },
  {
    spec: { exit: { after: "3s", times: 1.5 } },
    problem: "exit.times: must be a whole number from 1 on, or forever",
    why: "half an exit"
  },
  { spec: { exit: { code: 3 } }, problem: "exit.after: is required", why: "an exit at no time" },
  {
    spec: { exit: { after: "3s", code: 256 } },
    problem: "exit.code: must be an exit code, 0 to 255",
    why: "one byte"
  },
  {
    spec: { exit: { after: "3s", reason: "Crashed" } },
    problem: "exit.reason: must be Completed, Error or OOMKilled",
    why: "not a reason of Kubernetes"
  },
  {
    spec: { exit: { after: "3s", code: 0, reason: "Error" } },
    problem: "exit.reason: a run with exit code 0 is not an Error",
    why: "0 is success"
  },
  {
    spec: { exit: { after: "3s", code: 7, reason: "Completed" } },
    problem: "exit.reason: a run with exit code 7 is not Completed",
    why: "7 is failure"
  },
  {
    spec: { exit: { after: "3s", code: 1, reason: "OOMKilled" } },
    problem: "exit.code: a container that is OOMKilled exits with 137 (SIGKILL), not 1",
    why: "the kernel kills"
  },
  {
    spec: { flap: { ready: "0s", unready: { uniform: ["0s", "0ms"] }, times: 3 } },
    problem: "flap: ready and unready must not both take no time",
    why: "a loop at one instant"
  },
  {
    spec: { flap: { ready: "1s", unready: "1s", times: 0 } },
    problem: "flap.times: must be a whole number from 1 on, or forever",
    why: "a flap that never happens"
  },
  { spec: { mover: "kubectl" }, problem: "mover: must be kubelet or you", why: "an unknown mover" },
  {
    spec: { mover: "you", ready: "1s" },
    problem: "ready: has no effect on pods whose mover is you",
    why: "you say when it is ready"
  },
  {
    spec: { match: { image: "" } },
    problem: "match.image: must not be empty; * stands for any text",
    why: "it would fit no image"
  },
  {
    spec: { match: { name: "" } },
    problem: "match.name: must not be empty; * stands for any text",
    why: "it would fit no pod"
  },
  {
    spec: { match: { labels: {} } },
    problem: 'match: matches every pod; if that is meant, say name: "*"',
    why: "nothing to match"
  },
  {
    spec: { match: { labels: { tier: 7 } } },
    problem: "match.labels.tier: must be text, not 7",
    why: "labels are text, which YAML needs quotes for"
  },
  {
    spec: { pull: { retries: 3 } },
    problem: "pull.retries: is not a field here; the fields are delay, failures, error",
    why: "an unknown field"
  },
  {
    spec: { containers: { App: {} } },
    problem: "containers.App: is not the name of a container, an RFC 1123 label",
    why: "no container can be called so"
  },
  {
    spec: { containers: [] },
    problem: "containers: must be a map of fields, not a list",
    why: "as in a pod's spec"
  }
])("$spec is refused at its field: $problem", ({ spec, problem }) => {
  expect(problemsOf(aDocument(spec))).toEqual([`spec.${problem}`])
})

test.each<{ document: unknown; problem: string }>([
  { document: null, problem: ": must be a map of fields, not null" },
  { document: "steady", problem: ': must be a map of fields, not "steady"' },
  { document: { ...aDocument({}), apiVersion: "v1" }, problem: "apiVersion: must be charthouse.dev/v1" },
  { document: { ...aDocument({}), kind: "Behavior" }, problem: "kind: must be Behaviour" },
  {
    document: { ...aDocument({}), status: {} },
    problem: "status: is not a field here; the fields are apiVersion, kind, metadata, spec"
  },
  {
    document: { ...aDocument({}), metadata: { name: "x", namespace: "y" } },
    problem: "metadata.namespace: is not a field here; the only one is name"
  },
  {
    document: aDocument({}, "Flaky"),
    problem:
      "metadata.name: must be an RFC 1123 subdomain: lower case letters, digits, '-' and '.', " +
      "with a letter or digit at both ends, at most 253 characters"
  },
  {
    document: aDocument({}, "steady"),
    problem: "metadata.name: steady is built in; another behaviour needs another name"
  }
])("$document is refused: $problem", ({ document, problem }) => {
  expect(problemsOf(document)).toEqual([problem])
})

test("all that is wrong is told at once", () => {
  const spec = {
    mover: "nobody",
    schedule: { uniform: ["9ms", "5ms"] },
    exit: { after: 3, code: 999 },
    containers: { app: { redy: "1s" }, log: { flap: { ready: "0s", unready: "0s" } } }
  }
  expect(problemsOf(aDocument(spec)).map((problem) => problem.split(": ")[0])).toEqual([
    "spec.mover",
    "spec.schedule.uniform",
    "spec.containers.app.redy",
    "spec.containers.log.flap",
    "spec.exit.after",
    "spec.exit.code"
  ])
})

test("every field that your own moves leave without effect is named", () => {
  const { match, ...moved } = everything
  expect(problemsOf(aDocument({ match, ...moved, mover: "you" }))).toHaveLength(9)
})

test.each<{ spec: BehaviourSpec; why: string }>([
  { spec: { pull: { error: "denied" }, containers: { app: { pull: { failures: 3 } } } }, why: "some fail" },
  { spec: { pull: { failures: 3 }, containers: { app: { pull: { error: "denied" } } } }, why: "all fail" },
  { spec: { pull: { failures: "forever", error: "denied" } }, why: "none succeeds" }
])("a message for failing pulls stands where $why", ({ spec }) => {
  expect(problemsOf(aDocument(spec))).toEqual([])
})

test("two behaviours of one name are refused, beside what else is wrong with the others", () => {
  const documents = [
    aDocument({}, "one"),
    aDocument({ start: 1 }, "two"),
    aDocument({ start: "1s" }, "one"),
    7
  ]
  expect(decodeBehaviours(documents)).toEqual({
    ok: false,
    problems: [
      { path: "[1].spec.start", message: unitProblem },
      { path: "[2].metadata.name", message: "[0] is called one too" },
      { path: "[3]", message: "must be a map of fields, not 7" }
    ]
  })
})

test.for<readonly [unknown, string]>([
  ["kind: Behaviour", '"kind: Behaviour"'],
  [aDocument({}, "one"), JSON.stringify(aDocument({}, "one"))],
  [undefined, "nothing"]
])("what is no list of behaviours is refused: %o", ([value, given]) => {
  expect(decodeBehaviours(value as ReadonlyArray<unknown>)).toEqual({
    ok: false,
    problems: [{ path: "", message: `must be a list of behaviours, not ${given}` }]
  })
})

test("behaviours of different names are read in their order", () => {
  const decoded = decodeBehaviours([aDocument({}, "two"), aDocument({}, "one"), aDocument({}, "three")])
  expect(decoded.ok && decoded.behaviours.map(({ name }) => name)).toEqual(["two", "one", "three"])
})

test("what code defines is what its document says", () => {
  const behaviour: Behaviour = { name: "flaky", ...everything }
  expect(defineBehaviour(behaviour)).toEqual(behaviour)
  expect(decodeBehaviour(behaviourToDocument(behaviour))).toEqual({ ok: true, behaviour })
})

test("a wrong definition throws with the fields as code spells them", () => {
  const define = () =>
    defineBehaviour({ name: "A", ready: "1", exit: { after: "1s", code: 0, reason: "Error" } })
  expect(define).toThrow(/^behaviour "A":\n  name must be .*\n  ready must be .*\n  exit.reason a run .*$/)
})

test("the built-in behaviours keep the rules of all behaviours but that on names", () => {
  for (const { name, ...spec } of builtInBehaviours) {
    // The error text of steady is what others inherit; its own pulls do not fail.
    const problems = problemsOf(aDocument(spec)).filter((problem) => !problem.startsWith("spec.pull.error"))
    expect({ name, problems }).toEqual({ name, problems: [] })
  }
})
