import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  templateHashLabel,
  isSameTemplate,
  templateHash
} from "../../src/kubernetes/apps/revisions/podTemplates.ts"
import { aDeployment, anObservation, aReplicaSet, aTemplate } from "../builders.ts"
import type { PodSpec, PodTemplate } from "../../src/kubernetes/meta/objects.ts"

const container = { name: "app", image: "registry.example/app:v3" }
const templateOf = (spec: Partial<PodSpec>): PodTemplate => aTemplate("v3", { spec })
const requesting = (cpu: string) =>
  templateOf({ containers: [{ ...container, resources: { requests: { cpu } } }] })

interface Row {
  readonly why: string
  readonly a: PodTemplate
  readonly b: PodTemplate
  readonly same: boolean
}

const labelled = (labels: Readonly<Record<string, string>>): PodTemplate => aTemplate("v3", { labels })

describe("two templates are the same but for the hash label (TestEqualIgnoreHash)", () => {
  it.each<Row>([
    { why: "same spec, same labels", a: labelled({ x: "1" }), b: labelled({ x: "1" }), same: true },
    {
      why: "only the hash differs",
      a: labelled({ [templateHashLabel]: "a" }),
      b: labelled({ [templateHashLabel]: "b" }),
      same: true
    },
    { why: "only one has a hash", a: labelled({ [templateHashLabel]: "a" }), b: labelled({}), same: true },
    {
      why: "the hash differs, and a label",
      a: labelled({ [templateHashLabel]: "a", x: "1" }),
      b: labelled({ [templateHashLabel]: "b", x: "2" }),
      same: false
    },
    {
      why: "one label more",
      a: labelled({ [templateHashLabel]: "a", x: "1" }),
      b: labelled({ [templateHashLabel]: "b" }),
      same: false
    },
    { why: "another image", a: aTemplate("v3"), b: aTemplate("v4"), same: false },
    {
      why: "an annotation of the template rolls it out, as `kubectl rollout restart` does",
      a: aTemplate("v3"),
      b: aTemplate("v3", { annotations: { "kubectl.kubernetes.io/restartedAt": "now" } }),
      same: false
    },
    {
      why: "no annotations are an empty map of them",
      a: aTemplate("v3"),
      b: aTemplate("v3", { annotations: {} }),
      same: true
    },
    {
      why: "no list is an empty one",
      a: templateOf({}),
      b: templateOf({ volumes: [], tolerations: [] }),
      same: true
    },
    {
      why: "no node selector is an empty one",
      a: templateOf({}),
      b: templateOf({ nodeSelector: {} }),
      same: true
    },
    {
      why: "an empty volume source is one that is there",
      a: templateOf({ volumes: [{ name: "v", emptyDir: {} }] }),
      b: templateOf({ volumes: [{ name: "v" }] }),
      same: false
    },
    {
      why: "an empty label value is a label",
      a: labelled({ x: "" }),
      b: labelled({}),
      same: false
    },
    { why: "amounts are compared by value", a: requesting("1000m"), b: requesting("1"), same: true },
    { why: "half a cpu", a: requesting("0.5"), b: requesting("500m"), same: true },
    { why: "another amount", a: requesting("0.5"), b: requesting("501m"), same: false },
    {
      why: "the size of a volume is an amount as well",
      a: templateOf({ volumes: [{ name: "v", emptyDir: { sizeLimit: "1Gi" } }] }),
      b: templateOf({ volumes: [{ name: "v", emptyDir: { sizeLimit: "1024Mi" } }] }),
      same: true
    },
    {
      why: "two orders of containers are two templates",
      a: templateOf({ containers: [container, { ...container, name: "b" }] }),
      b: templateOf({ containers: [{ ...container, name: "b" }, container] }),
      same: false
    },
    {
      why: "metadata without anything in it is no metadata",
      a: { metadata: { labels: { [templateHashLabel]: "a" } }, spec: { containers: [] } },
      b: { spec: { containers: [] } },
      same: true
    }
  ])("$same: $why", ({ a, b, same }) => {
    expect(isSameTemplate(a, b)).toBe(same)
    expect(isSameTemplate(b, a)).toBe(same)
    expect(templateHash(a, undefined) === templateHash(b, undefined)).toBe(same)
  })

  it("a template that can still change is read anew each time", () => {
    const mutable = { metadata: { labels: { app: "web" } }, spec: { containers: [{ ...container }] } }
    expect(isSameTemplate(mutable, aTemplate("v3"))).toBe(true)
    Object.assign(mutable.metadata.labels, { app: "site" })
    expect(isSameTemplate(mutable, aTemplate("v3"))).toBe(false)
  })
})

describe("the new one is found by its template, not its hash (TestFindNewReplicaSet, TestFindOldReplicaSets)", () => {
  const named = (name: string, version: string, created: number, hash?: string) =>
    aReplicaSet({
      name,
      created,
      template: aTemplate(version, hash === undefined ? {} : { labels: { [templateHashLabel]: hash } })
    })
  it.each([
    {
      why: "same template, different hash",
      sets: [named("old", "v1", 0), named("new", "v3", 9, "hash")],
      next: "new",
      previous: "old"
    },
    {
      why: "the oldest of several with the template; the younger ones are old",
      sets: [named("old", "v1", 0), named("dup", "v3", 9, "hash"), named("first", "v3", 8, "different-hash")],
      next: "first",
      previous: "old dup"
    },
    {
      why: "of one second the first by name",
      sets: [named("b", "v3", 8), named("a", "v3", 8)],
      next: "a",
      previous: "b"
    },
    { why: "none", sets: [named("old", "v1", 0)], next: undefined, previous: "old" },
    { why: "no old one", sets: [named("new", "v3", 0)], next: "new", previous: "" }
  ])("$next, and old: '$previous': $why", ({ sets, next, previous }) => {
    const seen = anObservation({ deployment: aDeployment({ version: "v3" }), replicaSets: sets })
    expect(seen.next?.metadata.name).toBe(next)
    expect(seen.previous.map(({ metadata }) => metadata.name).join(" ")).toBe(previous)
  })
})

describe("a hash is short, safe, and differs by collision count (TestComputeHash, TestPodTemplateSpecHash)", () => {
  it.each([
    { why: "simple", one: 1, other: 2 },
    { why: "none and 0 differ", one: undefined, other: 0 },
    { why: "none and the largest", one: undefined, other: 2147483647 }
  ])("$why", ({ one, other }) => {
    expect(templateHash(aTemplate(), one)).not.toBe(templateHash(aTemplate(), other))
  })

  it("a thousand templates that differ in one number have no two hashes alike", () => {
    const hashes = Array.from({ length: 1_000 }, (_, index) =>
      templateHash(aTemplate(`1.14.${index}`), undefined)
    )
    expect(new Set(hashes).size).toBe(1_000)
    for (const hash of hashes) expect(hash).toMatch(/^[456789bcdf]{1,10}$/)
  })

  it("a collision count that cannot be told from another by its lowest byte still counts", () => {
    expect(templateHash(aTemplate(), 1)).not.toBe(templateHash(aTemplate(), 257))
  })
})

const seed = 20_260_505

const amounts = fc.dictionary(fc.constantFrom("cpu", "memory"), fc.constantFrom("1", "1000m", "500m", "0.5"))
const texts = fc.dictionary(fc.constantFrom("a", "b", "app"), fc.constantFrom("", "x", "y"), { maxKeys: 3 })
const templates = fc.record({
  metadata: fc.record({ labels: texts, annotations: texts }, { requiredKeys: [] }),
  spec: fc.record(
    {
      containers: fc.array(
        fc.record(
          {
            name: fc.constantFrom("app", "side"),
            image: fc.constantFrom("i:v1", "i:v2"),
            args: fc.array(fc.constantFrom("-v", "-q"), { maxLength: 2 }),
            resources: fc.record({ requests: amounts, limits: amounts }, { requiredKeys: [] })
          },
          { requiredKeys: ["name", "image"] }
        ),
        { minLength: 1, maxLength: 2 }
      ),
      nodeSelector: texts,
      tolerations: fc.array(fc.record({ key: fc.constantFrom("k", "l") }), { maxLength: 1 }),
      terminationGracePeriodSeconds: fc.constantFrom(0, 7, 30)
    },
    { requiredKeys: ["containers"] }
  )
})

/** The same in another order of keys, maps and lists that are empty put in or left out. */
const disguised = (template: PodTemplate): PodTemplate => ({
  spec: reversed({
    tolerations: [],
    imagePullSecrets: [],
    nodeSelector: {},
    containers: [],
    ...template.spec
  }),
  metadata: reversed({ annotations: {}, finalizers: [], ...template.metadata })
})
const reversed = <T extends object>(value: T): T => Object.fromEntries(Object.entries(value).reverse()) as T

/** Written apart from the code: what Go would hold of a template, as text. */
const plainText = (value: unknown, isAmount = false): string => {
  if (Array.isArray(value)) return `[${value.map((it) => plainText(it)).join()}]`
  if (typeof value !== "object" || value === null) {
    return isAmount
      ? String(Number.parseFloat(String(value)) * (String(value).endsWith("m") ? 1 : 1000))
      : String(value)
  }
  return Object.entries(value)
    .filter(([key, it]) => !isNothing(it) || key === "resources")
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([key, it]) => `<${key}=${plainText(it, isAmount || key === "requests" || key === "limits")}>`)
    .join("")
}
const isNothing = (value: unknown): boolean =>
  value === undefined || (typeof value === "object" && value !== null && Object.keys(value).length === 0)

describe(`laws of templates (seed ${seed})`, () => {
  it("equality and hash do not see the order of keys, nor empty maps and lists", () => {
    fc.assert(
      fc.property(templates, (template) => {
        expect(isSameTemplate(template, disguised(template))).toBe(true)
        expect(templateHash(disguised(template), 3)).toBe(templateHash(template, 3))
      }),
      { seed, numRuns: 500 }
    )
  })

  it("equal exactly when the canonical texts are equal, and then of one hash", () => {
    fc.assert(
      fc.property(templates, templates, (a, b) => {
        const same = plainText(a) === plainText(b)
        expect(isSameTemplate(a, b)).toBe(same)
        expect(templateHash(a, undefined) === templateHash(b, undefined)).toBe(same)
      }),
      { seed, numRuns: 2_000 }
    )
  })
})
