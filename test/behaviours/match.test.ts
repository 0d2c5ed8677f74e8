import * as fc from "fast-check"
import { expect, test } from "vitest"
import type { Behaviour, PodMatch } from "../../src/behaviours/behaviour.ts"
import { instant, steady } from "../../src/behaviours/builtInBehaviours.ts"
import { behaviourAnnotation, behaviourFor, behaviourNamed } from "../../src/behaviours/matchBehaviours.ts"
import type { Pod } from "../../src/kubernetes/meta/objects.ts"

const aPod = (options: {
  readonly name?: string
  readonly images?: ReadonlyArray<string>
  readonly labels?: Readonly<Record<string, string>>
  readonly behaviour?: string
}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: options.name ?? "web-7f9c-x2x4z",
    namespace: "default",
    uid: "6f9619ff-8b86-d011-b42d-00c04fc964ff",
    resourceVersion: "7",
    creationTimestamp: "2026-01-01T00:00:00Z",
    ...(options.labels && { labels: options.labels }),
    ...(options.behaviour !== undefined && { annotations: { [behaviourAnnotation]: options.behaviour } })
  },
  spec: {
    containers: (options.images ?? ["nginx:1.27"]).map((image, index) => ({ name: `c${index}`, image }))
  },
  status: { phase: "Pending" }
})

const aBehaviour = (name: string, match?: PodMatch): Behaviour => ({ name, ...(match && { match }) })

test.each<{ match: PodMatch; pod: Parameters<typeof aPod>[0]; holds: boolean; why: string }>([
  { match: { image: "nginx:1.27" }, pod: {}, holds: true, why: "the very image" },
  { match: { image: "nginx" }, pod: {}, holds: false, why: "a glob fits the whole image or not at all" },
  { match: { image: "nginx*" }, pod: {}, holds: true, why: "any tag" },
  { match: { image: "*/web:*" }, pod: { images: ["a/b/web:3"] }, holds: true, why: "* takes slashes" },
  { match: { image: "web.*" }, pod: { images: ["web:3"] }, holds: false, why: "a point is a point" },
  { match: { image: "log*" }, pod: { images: ["web:3", "log:5"] }, holds: true, why: "any container counts" },
  { match: { name: "web-*" }, pod: {}, holds: true, why: "names too" },
  { match: { name: "WEB-*" }, pod: {}, holds: false, why: "case counts" },
  { match: { name: "ab*ba" }, pod: { name: "aba" }, holds: false, why: "head and tail do not overlap" },
  { match: { name: "a*b*bc" }, pod: { name: "abc" }, holds: false, why: "nor do the parts" },
  { match: { name: "*" }, pod: {}, holds: true, why: "everything" },
  {
    match: { labels: { app: "web" } },
    pod: { labels: { app: "web", tier: "x" } },
    holds: true,
    why: "more labels"
  },
  {
    match: { labels: { app: "w*" } },
    pod: { labels: { app: "web" } },
    holds: false,
    why: "labels are no globs"
  },
  { match: { labels: { app: "web" } }, pod: {}, holds: false, why: "no labels" },
  {
    match: { labels: { a: "1", b: "2" } },
    pod: { labels: { a: "1" } },
    holds: false,
    why: "one label of two"
  },
  { match: { image: "nginx*", name: "api-*" }, pod: {}, holds: false, why: "all must hold" },
  { match: { image: "nginx*", name: "web-*" }, pod: {}, holds: true, why: "and all do" }
])("$match holds for $pod: $holds, $why", ({ match, pod, holds }) => {
  const behaviour = aBehaviour("matching", match)
  expect(behaviourFor(aPod(pod), [behaviour], steady)).toBe(holds ? behaviour : steady)
})

test("the first that matches wins, and one without a match never does", () => {
  const silent = aBehaviour("silent")
  const narrow = aBehaviour("narrow", { name: "api-*" })
  const [first, second] = [aBehaviour("first", { name: "*" }), aBehaviour("second", { name: "*" })]
  expect(behaviourFor(aPod({}), [silent, narrow, first, second], steady)).toBe(first)
  expect(behaviourFor(aPod({ name: "api-3" }), [silent, narrow, first, second], steady)).toBe(narrow)
  expect(behaviourFor(aPod({}), [silent, narrow], steady)).toBe(steady)
})

test("the annotation of a pod wins over every match", () => {
  const [silent, all] = [aBehaviour("silent"), aBehaviour("all", { name: "*" })]
  const choose = (behaviour: string) => behaviourFor(aPod({ behaviour }), [all, silent], steady)
  expect(choose("silent")).toBe(silent)
  expect(choose("instant")).toBe(instant)
  expect(choose("unheard-of")).toBe(steady)
})

test("a behaviour is found by its name, among the built-in ones as well", () => {
  const own = aBehaviour("own")
  expect(behaviourNamed("own", [own])).toBe(own)
  expect(behaviourNamed("steady", [own])).toBe(steady)
  expect(behaviourNamed("own", [])).toBeUndefined()
})

test("a glob fits what the regular expression with .* for each * fits", () => {
  const glob = fc.string({ unit: fc.constantFrom("a", "b", "*"), minLength: 1, maxLength: 7 })
  const name = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 9 })
  fc.assert(
    fc.property(glob, name, (glob, name) => {
      const behaviour = aBehaviour("globbed", { name: glob })
      const expected = new RegExp(`^${glob.replaceAll("*", ".*")}$`).test(name)
      expect(behaviourFor(aPod({ name }), [behaviour], steady) === behaviour).toBe(expected)
    }),
    { seed: 3, numRuns: 1_000 }
  )
})
