import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  templateHashLabel,
  isSameTemplate,
  templateHash
} from "../../../../src/kubernetes/apps/revisions/podTemplates.ts"
import { aDeployment, anObservation, aReplicaSet, aTemplate } from "../../../builders.ts"
import type { PodSpec, PodTemplate } from "../../../../src/kubernetes/meta/objects.ts"

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

const withLabels = (labels: Readonly<Record<string, string>>): PodTemplate => aTemplate("v3", { labels })

describe("equality of templates without the hash label (TestEqualIgnoreHash)", () => {
  it.each<Row>([
    { why: "same spec, same labels", a: withLabels({ x: "1" }), b: withLabels({ x: "1" }), same: true },
    {
      why: "only the hash differs",
      a: withLabels({ [templateHashLabel]: "a" }),
      b: withLabels({ [templateHashLabel]: "b" }),
      same: true
    },
    {
      why: "only one has a hash label",
      a: withLabels({ [templateHashLabel]: "a" }),
      b: withLabels({}),
      same: true
    },
    {
      why: "the hash differs, and a label",
      a: withLabels({ [templateHashLabel]: "a", x: "1" }),
      b: withLabels({ [templateHashLabel]: "b", x: "2" }),
      same: false
    },
    {
      why: "one additional label",
      a: withLabels({ [templateHashLabel]: "a", x: "1" }),
      b: withLabels({ [templateHashLabel]: "b" }),
      same: false
    },
    { why: "different images", a: aTemplate("v3"), b: aTemplate("v4"), same: false },
    {
      why: "an annotation, as of `kubectl rollout restart`",
      a: aTemplate("v3"),
      b: aTemplate("v3", { annotations: { "kubectl.kubernetes.io/restartedAt": "now" } }),
      same: false
    },
    {
      why: "missing and empty annotations",
      a: aTemplate("v3"),
      b: aTemplate("v3", { annotations: {} }),
      same: true
    },
    {
      why: "missing and empty lists",
      a: templateOf({}),
      b: templateOf({ volumes: [], tolerations: [] }),
      same: true
    },
    {
      why: "missing and empty node selectors",
      a: templateOf({}),
      b: templateOf({ nodeSelector: {} }),
      same: true
    },
    {
      why: "an empty volume source differs from none",
      a: templateOf({ volumes: [{ name: "v", emptyDir: {} }] }),
      b: templateOf({ volumes: [{ name: "v" }] }),
      same: false
    },
    {
      why: "an empty label value differs from none",
      a: withLabels({ x: "" }),
      b: withLabels({}),
      same: false
    },
    { why: "quantities are compared by value", a: requesting("1000m"), b: requesting("1"), same: true },
    { why: "half a cpu in two notations", a: requesting("0.5"), b: requesting("500m"), same: true },
    { why: "different quantities", a: requesting("0.5"), b: requesting("501m"), same: false },
    {
      why: "the size limit of a volume is a quantity",
      a: templateOf({ volumes: [{ name: "v", emptyDir: { sizeLimit: "1Gi" } }] }),
      b: templateOf({ volumes: [{ name: "v", emptyDir: { sizeLimit: "1024Mi" } }] }),
      same: true
    },
    {
      why: "another order of containers",
      a: templateOf({ containers: [container, { ...container, name: "b" }] }),
      b: templateOf({ containers: [{ ...container, name: "b" }, container] }),
      same: false
    },
    {
      why: "empty and missing metadata",
      a: { metadata: { labels: { [templateHashLabel]: "a" } }, spec: { containers: [] } },
      b: { spec: { containers: [] } },
      same: true
    }
  ])("$same: $why", ({ a, b, same }) => {
    expect(isSameTemplate(a, b)).toBe(same)
    expect(isSameTemplate(b, a)).toBe(same)
    expect(templateHash(a, undefined) === templateHash(b, undefined)).toBe(same)
  })

  it("is not cached for templates that are not frozen", () => {
    const mutable = { metadata: { labels: { app: "web" } }, spec: { containers: [{ ...container }] } }
    expect(isSameTemplate(mutable, aTemplate("v3"))).toBe(true)
    Object.assign(mutable.metadata.labels, { app: "site" })
    expect(isSameTemplate(mutable, aTemplate("v3"))).toBe(false)
  })
})

describe("the new and old ReplicaSets (TestFindNewReplicaSet, TestFindOldReplicaSets)", () => {
  const withTemplate = (name: string, version: string, created: number, hash?: string) =>
    aReplicaSet({
      name,
      created,
      template: aTemplate(version, hash === undefined ? {} : { labels: { [templateHashLabel]: hash } })
    })
  it.each([
    {
      why: "the template matches, the hash differs",
      sets: [withTemplate("old", "v1", 0), withTemplate("new", "v3", 9, "hash")],
      next: "new",
      previous: "old"
    },
    {
      why: "the oldest of several that match",
      sets: [
        withTemplate("old", "v1", 0),
        withTemplate("dup", "v3", 9, "hash"),
        withTemplate("first", "v3", 8, "different-hash")
      ],
      next: "first",
      previous: "old dup"
    },
    {
      why: "the first by name of equally old ones",
      sets: [withTemplate("b", "v3", 8), withTemplate("a", "v3", 8)],
      next: "a",
      previous: "b"
    },
    { why: "no new one", sets: [withTemplate("old", "v1", 0)], next: undefined, previous: "old" },
    { why: "no old ones", sets: [withTemplate("new", "v3", 0)], next: "new", previous: "" }
  ])("$next is new, '$previous' old: $why", ({ sets, next, previous }) => {
    const observation = anObservation({ deployment: aDeployment({ version: "v3" }), replicaSets: sets })
    expect(observation.newReplicaSet?.metadata.name).toBe(next)
    expect(observation.oldReplicaSets.map(({ metadata }) => metadata.name).join(" ")).toBe(previous)
  })
})

describe("the hash of a template (TestComputeHash, TestPodTemplateSpecHash)", () => {
  it.each([
    { why: "differs for two collision counts", first: 1, second: 2 },
    { why: "differs for none and 0", first: undefined, second: 0 },
    { why: "differs for none and the largest", first: undefined, second: 2147483647 }
  ])("$why", ({ first, second }) => {
    expect(templateHash(aTemplate(), first)).not.toBe(templateHash(aTemplate(), second))
  })

  it("is short, safe and different for a thousand versions", () => {
    const hashes = Array.from({ length: 1_000 }, (_, index) =>
      templateHash(aTemplate(`1.14.${index}`), undefined)
    )
    expect(new Set(hashes).size).toBe(1_000)
    for (const hash of hashes) expect(hash).toMatch(/^[456789bcdf]{1,10}$/)
  })

  it("depends on more than the lowest byte of the collision count", () => {
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

/** An equal template with keys in another order, and with empty maps and lists added. */
const equivalent = (template: PodTemplate): PodTemplate => ({
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

/** The canonical text of a template, written independently of the code. */
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
  it("ignore the order of keys, and empty maps and lists", () => {
    fc.assert(
      fc.property(templates, (template) => {
        expect(isSameTemplate(template, equivalent(template))).toBe(true)
        expect(templateHash(equivalent(template), 3)).toBe(templateHash(template, 3))
      }),
      { seed, numRuns: 500 }
    )
  })

  it("give equality exactly for equal canonical texts, with equal hashes", () => {
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
