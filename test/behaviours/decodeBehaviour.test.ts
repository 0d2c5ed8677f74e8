import { expect, test } from "vitest"
import type { Behaviour, BehaviourSpec } from "../../src/behaviours/behaviour.ts"
import { builtInBehaviours } from "../../src/behaviours/builtInBehaviours.ts"
import {
  behaviourToDocument,
  decodeBehaviour,
  decodeBehaviours,
  defineBehaviour
} from "../../src/behaviours/decodeBehaviour.ts"
import { aDocument, everything } from "./behaviourDocuments.ts"

const problemsOf = (document: unknown): ReadonlyArray<string> => {
  const decoded = decodeBehaviour(document)
  return decoded.ok ? [] : decoded.problems.map(({ path, message }) => `${path}: ${message}`)
}

const unitProblem =
  'must be a duration with its unit, such as "250ms", "1.5s" or "1h30m" (a bare number has none), ' +
  "or one of the distributions uniform, normal and exponential"

test("decodes a document with every field", () => {
  expect(decodeBehaviour(aDocument(everything, "flaky.v2"))).toEqual({
    ok: true,
    behaviour: { name: "flaky.v2", ...everything }
  })
})

test("decodes an empty spec", () => {
  expect(decodeBehaviour(aDocument({}, "quiet"))).toEqual({ ok: true, behaviour: { name: "quiet" } })
})

test("freezes the decoded behaviour", () => {
  const decoded = decodeBehaviour(aDocument(everything))
  expect(decoded.ok && Object.isFrozen(decoded.behaviour.containers?.["sidecar"]?.pull)).toBe(true)
})

test.each<{ spec: unknown; problem: string; why: string }>([
  { spec: { schedule: 5 }, problem: `schedule: ${unitProblem}`, why: "a number without a unit" },
  { spec: { schedule: null }, problem: `schedule: ${unitProblem}`, why: "an empty field in YAML" },
  {
    spec: { ready: "5" },
    problem: 'ready: must be a duration with its unit, such as "250ms", "1.5s" or "1h30m", not "5"',
    why: "text without a unit"
  },
  { spec: { start: "-3s" }, problem: "start: must not be negative, as -3s is", why: "a negative duration" },
  {
    spec: { start: "250us" },
    problem: "start: must be whole milliseconds, which 250us is not",
    why: "finer than a millisecond"
  },
  {
    spec: { pull: { delay: { uniform: ["2s", "1s"] } } },
    problem: "pull.delay.uniform: the first bound, 2s, must not exceed the second, 1s",
    why: "min above max"
  },
  {
    spec: { hang: { uniform: ["2s"] } },
    problem: "hang.uniform[1]: is required",
    why: "one bound instead of two"
  },
  {
    spec: { hang: { uniform: ["1s", "2s", "3s"] } },
    problem: "hang.uniform[2]: is one element too many: there are only 2",
    why: "three bounds instead of two"
  },
  {
    spec: { hang: { uniform: ["1s", "-2s"] } },
    problem: "hang.uniform[1]: must not be negative, as -2s is",
    why: "the path leads to the second bound"
  },
  {
    spec: { hang: { normal: { mean: "1s" } } },
    problem: "hang.normal.deviation: is required",
    why: "a distribution lacks a parameter"
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
    why: "a negative count"
  },
  {
    spec: { pull: { failures: "always" } },
    problem: "pull.failures: must be a whole number from 0 on, or forever",
    why: "the word for an endless count is forever"
  },
  {
    spec: { pull: { error: "denied" } },
    problem: "pull.error: is never used, because no pull fails: say with failures how many do",
    why: "the pull does not fail"
  },
  {
    spec: { pull: { failures: 3 }, containers: { app: { pull: { error: "denied", failures: 0 } } } },
    problem: "containers.app.pull.error: is never used, because no pull fails: say with failures how many do",
    why: "this container's pull does not fail"
  },
  {
    spec: { exit: { after: "3s", times: 0 } },
    problem: "exit.times: must be a whole number from 1 on, or forever",
    why: "an exit that happens zero times"
  },
  {
    spec: { exit: { after: "3s", times: 1.5 } },
    problem: "exit.times: must be a whole number from 1 on, or forever",
    why: "a fraction of an exit"
  },
  { spec: { exit: { code: 3 } }, problem: "exit.after: is required", why: "an exit without its delay" },
  {
    spec: { exit: { after: "3s", code: 256 } },
    problem: "exit.code: must be an exit code, 0 to 255",
    why: "exit codes have one byte"
  },
  {
    spec: { exit: { after: "3s", reason: "Crashed" } },
    problem: "exit.reason: must be Completed, Error or OOMKilled",
    why: "not a reason of a terminated container"
  },
  {
    spec: { exit: { after: "3s", code: 0, reason: "Error" } },
    problem: "exit.reason: a run with exit code 0 is not an Error",
    why: "exit code 0 is success"
  },
  {
    spec: { exit: { after: "3s", code: 7, reason: "Completed" } },
    problem: "exit.reason: a run with exit code 7 is not Completed",
    why: "exit code 7 is failure"
  },
  {
    spec: { exit: { after: "3s", code: 1, reason: "OOMKilled" } },
    problem: "exit.code: a container that is OOMKilled exits with 137 (SIGKILL), not 1",
    why: "the kernel kills with SIGKILL"
  },
  {
    spec: { flap: { ready: "0s", unready: { uniform: ["0s", "0ms"] }, times: 3 } },
    problem: "flap: ready and unready must not both take no time",
    why: "a flap that loops at one instant"
  },
  {
    spec: { flap: { ready: "1s", unready: "1s", times: 0 } },
    problem: "flap.times: must be a whole number from 1 on, or forever",
    why: "a flap that happens zero times"
  },
  {
    spec: { load: { perSecond: { low: 200, high: 10 } } },
    problem: "load.perSecond: low must not be greater than high",
    why: "a day whose quietest hour has more requests than its busiest"
  },
  { spec: { mover: "kubectl" }, problem: "mover: must be kubelet or you", why: "an unknown mover" },
  {
    spec: { mover: "you", ready: "1s" },
    problem: "ready: has no effect on pods whose mover is you",
    why: "the user says when the Pod is ready"
  },
  {
    spec: { match: { image: "" } },
    problem: "match.image: must not be empty; * stands for any text",
    why: "an empty glob matches no image"
  },
  {
    spec: { match: { name: "" } },
    problem: "match.name: must not be empty; * stands for any text",
    why: "an empty glob matches no Pod"
  },
  {
    spec: { match: { labels: {} } },
    problem: 'match: matches every pod; if that is meant, say name: "*"',
    why: "no label to match"
  },
  {
    spec: { match: { labels: { tier: 7 } } },
    problem: "match.labels.tier: must be text, not 7",
    why: "labels are text, which needs quotes in YAML"
  },
  {
    spec: { pull: { retries: 3 } },
    problem: "pull.retries: is not a field here; the fields are delay, failures, error",
    why: "an unknown field"
  },
  {
    spec: { containers: { App: {} } },
    problem: "containers.App: is not the name of a container, an RFC 1123 label",
    why: "an invalid container name"
  },
  {
    spec: { containers: [] },
    problem: "containers: must be a map of fields, not a list",
    why: "a list as in a Pod's spec"
  }
])("rejects $spec: $problem", ({ spec, problem }) => {
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
])("rejects $document: $problem", ({ document, problem }) => {
  expect(problemsOf(document)).toEqual([problem])
})

test("reports every problem of a document at once", () => {
  const spec = {
    mover: "absent",
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

test("reports every field that has no effect when the user moves the Pods", () => {
  const { match, ...moved } = everything
  expect(problemsOf(aDocument({ match, ...moved, mover: "you" }))).toHaveLength(10)
})

test.each<{ spec: BehaviourSpec; why: string }>([
  { spec: { pull: { error: "denied" }, containers: { app: { pull: { failures: 3 } } } }, why: "some fail" },
  { spec: { pull: { failures: 3 }, containers: { app: { pull: { error: "denied" } } } }, why: "all fail" },
  { spec: { pull: { failures: "forever", error: "denied" } }, why: "none succeeds" }
])("accepts an error message for failing pulls where $why", ({ spec }) => {
  expect(problemsOf(aDocument(spec))).toEqual([])
})

test("reports two behaviours of one name beside the problems of the others", () => {
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

const circular: { self?: unknown } = {}
circular.self = circular

test.for<readonly [unknown, string]>([
  ["kind: Behaviour", '"kind: Behaviour"'],
  [aDocument({}, "one"), "a map"],
  [circular, "a map"],
  [7n, "7"],
  [undefined, "nothing"]
])("rejects %o, which is no list of behaviours", ([value, given]) => {
  expect(decodeBehaviours(value as ReadonlyArray<unknown>)).toEqual({
    ok: false,
    problems: [{ path: "", message: `must be a list of behaviours, not ${given}` }]
  })
})

test("decodes behaviours in their order", () => {
  const decoded = decodeBehaviours([aDocument({}, "two"), aDocument({}, "one"), aDocument({}, "three")])
  expect(decoded.ok && decoded.behaviours.map(({ name }) => name)).toEqual(["two", "one", "three"])
})

test("gives a behaviour defined in code the same document", () => {
  const behaviour: Behaviour = { name: "flaky", ...everything }
  expect(defineBehaviour(behaviour)).toEqual(behaviour)
  expect(decodeBehaviour(behaviourToDocument(behaviour))).toEqual({ ok: true, behaviour })
})

test("throws with the field names of the code when a definition is invalid", () => {
  const define = () =>
    defineBehaviour({ name: "A", ready: "1", exit: { after: "1s", code: 0, reason: "Error" } })
  expect(define).toThrow(/^behaviour "A":\n  name must be .*\n  ready must be .*\n  exit.reason a run .*$/)
})

test("refuses a definition that is no map", () => {
  expect(() => defineBehaviour("steady" as never)).toThrow(
    'a behaviour must be a map of fields, not "steady"'
  )
  expect(() => defineBehaviour(null as never)).toThrow("a behaviour must be a map of fields, not null")
})

test("applies the rules for behaviours to the built-in ones, except for their names", () => {
  for (const { name, ...spec } of builtInBehaviours) {
    // Other behaviours inherit the error text of steady, whose own pulls do not fail.
    const problems = problemsOf(aDocument(spec)).filter((problem) => !problem.startsWith("spec.pull.error"))
    expect({ name, problems }).toEqual({ name, problems: [] })
  }
})
