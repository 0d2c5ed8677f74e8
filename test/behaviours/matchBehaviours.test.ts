import * as fc from "fast-check"
import { expect, test } from "vitest"
import type { Behaviour, PodMatch } from "../../src/behaviours/behaviour.ts"
import { instant, steady } from "../../src/behaviours/builtInBehaviours.ts"
import { behaviourAnnotation, behaviourFor, behaviourNamed } from "../../src/behaviours/matchBehaviours.ts"
import { aPod } from "../builders.ts"
import type { Pod } from "../../src/kubernetes/meta/objects.ts"

interface PodTraits {
  readonly name?: string
  readonly images?: ReadonlyArray<string>
  readonly labels?: Readonly<Record<string, string>>
  readonly behaviour?: string
}

const aPodOf = ({ images = ["nginx:1.27"], labels = {}, name, behaviour }: PodTraits): Pod =>
  aPod({
    name: name ?? "web-7f9c-x2x4z",
    labels,
    ...(behaviour !== undefined && { annotations: { [behaviourAnnotation]: behaviour } }),
    spec: { containers: images.map((image, index) => ({ name: `c${index}`, image })) }
  })

const aBehaviour = (name: string, match?: PodMatch): Behaviour => ({ name, ...(match && { match }) })

test.each<{ match: PodMatch; pod: PodTraits; holds: boolean; why: string }>([
  { match: { image: "nginx:1.27" }, pod: {}, holds: true, why: "the exact image" },
  { match: { image: "nginx" }, pod: {}, holds: false, why: "a glob matches the whole image or not at all" },
  { match: { image: "nginx*" }, pod: {}, holds: true, why: "any tag" },
  { match: { image: "*/web:*" }, pod: { images: ["a/b/web:3"] }, holds: true, why: "* matches slashes" },
  { match: { image: "web.*" }, pod: { images: ["web:3"] }, holds: false, why: "a point is literal" },
  {
    match: { image: "log*" },
    pod: { images: ["web:3", "log:5"] },
    holds: true,
    why: "any container may match"
  },
  { match: { name: "web-*" }, pod: {}, holds: true, why: "the name matches" },
  { match: { name: "WEB-*" }, pod: {}, holds: false, why: "case matters" },
  { match: { name: "ab*ba" }, pod: { name: "aba" }, holds: false, why: "head and tail do not overlap" },
  { match: { name: "a*b*bc" }, pod: { name: "abc" }, holds: false, why: "parts do not overlap" },
  { match: { name: "*" }, pod: {}, holds: true, why: "* matches all" },
  {
    match: { labels: { app: "web" } },
    pod: { labels: { app: "web", tier: "x" } },
    holds: true,
    why: "the Pod has more labels"
  },
  {
    match: { labels: { app: "w*" } },
    pod: { labels: { app: "web" } },
    holds: false,
    why: "labels are compared literally"
  },
  { match: { labels: { app: "web" } }, pod: {}, holds: false, why: "the Pod has no labels" },
  {
    match: { labels: { a: "1", b: "2" } },
    pod: { labels: { a: "1" } },
    holds: false,
    why: "the Pod has one label of two"
  },
  { match: { image: "nginx*", name: "api-*" }, pod: {}, holds: false, why: "one of two conditions fails" },
  { match: { image: "nginx*", name: "web-*" }, pod: {}, holds: true, why: "both conditions hold" }
])("$match holds for $pod: $holds, $why", ({ match, pod, holds }) => {
  const behaviour = aBehaviour("matching", match)
  expect(behaviourFor(aPodOf(pod), [behaviour], steady)).toBe(holds ? behaviour : steady)
})

test("chooses the first behaviour that matches, never one without a match", () => {
  const silent = aBehaviour("silent")
  const narrow = aBehaviour("narrow", { name: "api-*" })
  const [first, second] = [aBehaviour("first", { name: "*" }), aBehaviour("second", { name: "*" })]
  expect(behaviourFor(aPodOf({}), [silent, narrow, first, second], steady)).toBe(first)
  expect(behaviourFor(aPodOf({ name: "api-3" }), [silent, narrow, first, second], steady)).toBe(narrow)
  expect(behaviourFor(aPodOf({}), [silent, narrow], steady)).toBe(steady)
})

test("prefers the Pod's annotation to every match", () => {
  const [silent, all] = [aBehaviour("silent"), aBehaviour("all", { name: "*" })]
  const choose = (behaviour: string) => behaviourFor(aPodOf({ behaviour }), [all, silent], steady)
  expect(choose("silent")).toBe(silent)
  expect(choose("instant")).toBe(instant)
  expect(choose("unheard-of")).toBe(steady)
})

test("finds a behaviour by its name, built-in ones included", () => {
  const own = aBehaviour("own")
  expect(behaviourNamed("own", [own])).toBe(own)
  expect(behaviourNamed("steady", [own])).toBe(steady)
  expect(behaviourNamed("own", [])).toBeUndefined()
})

test("matches a glob like the regular expression with .* for each *", () => {
  const glob = fc.string({ unit: fc.constantFrom("a", "b", "*"), minLength: 1, maxLength: 7 })
  const name = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 9 })
  fc.assert(
    fc.property(glob, name, (glob, name) => {
      const behaviour = aBehaviour("globbed", { name: glob })
      const expected = new RegExp(`^${glob.replaceAll("*", ".*")}$`).test(name)
      expect(behaviourFor(aPodOf({ name }), [behaviour], steady) === behaviour).toBe(expected)
    }),
    { seed: 3, numRuns: 1_000 }
  )
})
