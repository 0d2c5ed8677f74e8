import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  compareFields,
  configuredFields
} from "../../../../src/kubernetes/apply/managedFields/compareFields.ts"
import { decodeFieldSet, encodeFieldSet } from "../../../../src/kubernetes/apply/managedFields/fieldsV1.ts"
import {
  fieldSetDifference,
  fieldSetIntersection,
  isEmptyFieldSet,
  isSameFieldSet,
  fieldSetUnion,
  type FieldSet
} from "../../../../src/kubernetes/apply/managedFields/fieldSet.ts"
import {
  fieldPathsOf,
  pathElementsText
} from "../../../../src/kubernetes/apply/managedFields/pathElements.ts"
import { ownershipTopologyOf } from "../../../../src/kubernetes/apply/managedFields/ownershipTopology.ts"
import { deployments } from "../../admission/drafts.ts"
import { someDeployments } from "../workloadArbitraries.ts"

const decoded = (fields: unknown): FieldSet => {
  const set = decodeFieldSet(fields)
  if (set === undefined) throw new Error("unreadable")
  return set
}

/** What Kubernetes records for `kubectl create deployment nginx --image=nginx --port=80`. */
const created = {
  "f:metadata": { "f:labels": { ".": {}, "f:app": {} } },
  "f:spec": {
    "f:progressDeadlineSeconds": {},
    "f:replicas": {},
    "f:selector": {},
    "f:strategy": {
      "f:rollingUpdate": { ".": {}, "f:maxSurge": {}, "f:maxUnavailable": {} },
      "f:type": {}
    },
    "f:template": {
      "f:metadata": { "f:labels": { ".": {}, "f:app": {} } },
      "f:spec": {
        "f:containers": {
          'k:{"name":"nginx"}': {
            ".": {},
            "f:image": {},
            "f:name": {},
            "f:ports": {
              ".": {},
              'k:{"containerPort":80,"protocol":"TCP"}': { ".": {}, "f:containerPort": {}, "f:protocol": {} }
            },
            "f:resources": {}
          }
        },
        "f:restartPolicy": {},
        "f:securityContext": {}
      }
    }
  }
}

describe("fieldsV1", () => {
  it("of a new Deployment equals Kubernetes' record", () => {
    const labels = { app: "nginx" }
    const container = {
      name: "nginx",
      image: "nginx",
      ports: [{ containerPort: 80, protocol: "TCP" }],
      resources: {}
    }
    const { changed } = compareFields(
      ownershipTopologyOf(deployments),
      {},
      {
        metadata: { labels },
        spec: {
          progressDeadlineSeconds: 600,
          replicas: 1,
          selector: { matchLabels: labels },
          strategy: { rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" }, type: "RollingUpdate" },
          template: {
            metadata: { labels },
            spec: { containers: [container], restartPolicy: "Always", securityContext: {} }
          }
        },
        status: {}
      }
    )
    expect(JSON.stringify(encodeFieldSet(changed))).toBe(JSON.stringify(created))
  })

  it("is the same after decoding and encoding", () => {
    expect(JSON.stringify(encodeFieldSet(decoded(created)))).toBe(JSON.stringify(created))
  })

  it("is sorted: names, keys with their numbers by size, values", () => {
    const shuffled = {
      'v:"b"': {},
      'k:{"port":443}': {},
      "f:b": {},
      'k:{"port":80}': {},
      'v:"a"': {},
      "v:3": {},
      "f:a": { "f:x": {}, ".": {} }
    }
    expect(JSON.stringify(encodeFieldSet(decoded(shuffled)))).toBe(
      '{"f:a":{".":{},"f:x":{}},"f:b":{},"k:{\\"port\\":80}":{},"k:{\\"port\\":443}":{},' +
        '"v:3":{},"v:\\"a\\"":{},"v:\\"b\\"":{}}'
    )
  })

  it("has one form of a key, however it was written", () => {
    const set = decoded({ 'k:{"protocol": "TCP", "containerPort":80}': {} })
    expect(encodeFieldSet(set)).toEqual({ 'k:{"containerPort":80,"protocol":"TCP"}': {} })
  })

  it.each([
    { fields: [], why: "a list" },
    { fields: { spec: {} }, why: "an element without a prefix" },
    { fields: { "k:name": {} }, why: "a key that is no JSON" },
    { fields: { "f:spec": 1 }, why: "a leaf that is no map" }
  ])("rejects $why", ({ fields }) => {
    expect(decodeFieldSet(fields)).toBe(undefined)
  })

  it("rejects 600 levels", () => {
    expect(decodeFieldSet(JSON.parse(`${'{"f:a":'.repeat(600)}{}${"}".repeat(600)}`))).toBe(undefined)
  })

  it.each([
    { fields: { "f:spec": { "f:replicas": {} } }, text: ".spec.replicas" },
    {
      fields: { "f:containers": { 'k:{"name":"app"}': { "f:image": {} } } },
      text: '.containers[name="app"].image'
    },
    {
      fields: { 'k:{"containerPort":80,"protocol":"TCP"}': {} },
      text: '[containerPort=80,protocol="TCP"]'
    },
    { fields: { "f:finalizers": { 'v:"example.com/hold"': {} } }, text: '.finalizers[="example.com/hold"]' },
    { fields: { "f:b": { "f:c": {} }, "f:a": { ".": {}, "f:d": {} }, "f:z": {} }, text: ".a .z .a.d .b.c" }
  ])("has the text $text", ({ fields, text }) => {
    expect(fieldPathsOf(decoded(fields)).map(pathElementsText).join(" ")).toBe(text)
  })
})

describe("sets of fields", () => {
  const sets = someDeployments.map((object) => configuredFields(ownershipTopologyOf(deployments), object))
  const law = (seed: number, check: (a: FieldSet, b: FieldSet) => void): void => {
    fc.assert(fc.property(sets, sets, check), { seed, numRuns: 200 })
  }
  const textsOf = (set: FieldSet): ReadonlyArray<string> => fieldPathsOf(set).map(pathElementsText).toSorted()

  it("are the same after encoding and decoding", () => {
    law(53, (a) => {
      expect(textsOf(decoded(encodeFieldSet(a)))).toEqual(textsOf(a))
      expect(isSameFieldSet(decoded(encodeFieldSet(a)), a)).toBe(true)
    })
  })

  it("unite to what both hold", () => {
    law(59, (a, b) => {
      const both = fieldSetUnion(a, b)
      expect(textsOf(both)).toEqual([...new Set([...textsOf(a), ...textsOf(b)])].toSorted())
      expect(fieldSetUnion(both, b)).toBe(both)
    })
  })

  it("are the union of their difference and intersection", () => {
    law(61, (a, b) => {
      expect(textsOf(fieldSetUnion(fieldSetDifference(a, b), fieldSetIntersection(a, b)))).toEqual(textsOf(a))
    })
  })

  it("have a difference that shares nothing with the other", () => {
    law(67, (a, b) => {
      expect(textsOf(fieldSetIntersection(fieldSetDifference(a, b), b))).toEqual([])
      expect(isEmptyFieldSet(fieldSetDifference(a, a))).toBe(true)
    })
  })
})
