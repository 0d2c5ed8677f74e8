import { describe, expect, it } from "vitest"
import { validateCreate, validateUpdate } from "../../../../src/kubernetes/admission/admit.ts"
import { namespaces, nodes, errorTexts } from "../drafts.ts"

const namePart =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
  "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const labelValue =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must " +
  "start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used " +
  "for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
const long = `v${"-".repeat(63)}`

describe("the taints of a Node (TestValidateNode)", () => {
  const path = "metadata.taints[0]"
  it.each([
    { taint: { key: "dedicated", value: "db", effect: "NoSchedule" }, errors: [] },
    { taint: { key: "example.com/slow", effect: "PreferNoSchedule" }, errors: [] },
    { taint: { key: "a", value: "", effect: "NoExecute" }, errors: [] },
    { taint: { key: "a" }, errors: [`${path}.effect: Required value`] },
    {
      taint: { effect: "NoExecute" },
      errors: [
        `${path}.key: Invalid value: "": name part must be non-empty`,
        `${path}.key: Invalid value: "": ${namePart}`
      ]
    },
    {
      taint: { key: "a", value: "b c", effect: "NoExecute" },
      errors: [`${path}.value: Invalid value: "b c": ${labelValue}`]
    },
    {
      taint: { key: "a", value: long, effect: "NoExecute" },
      errors: [`${path}.value: Invalid value: "${long}": must be no more than 63 bytes;${labelValue}`]
    },
    {
      taint: { key: "a", effect: "Never" },
      errors: [
        `${path}.effect: Unsupported value: "Never": ` +
          'supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"'
      ]
    }
  ])("validates $taint", ({ taint, errors }) => {
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n-1" }, spec: { taints: [taint] } }
    expect(errorTexts(validateCreate(nodes, node))).toEqual(errors)
    expect(errorTexts(validateUpdate(nodes, node, node))).toEqual(errors)
  })

  it("are reported by their index", () => {
    const taints = [{ key: "a", effect: "NoExecute" }, { key: "b" }]
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n-1" }, spec: { taints } }
    expect(errorTexts(validateCreate(nodes, node))).toEqual(["metadata.taints[1].effect: Required value"])
  })
})

describe("a Node (TestValidateNode)", () => {
  const nodeErrors = (spec: object) => {
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n-1" }, spec }
    return errorTexts(validateCreate(nodes, node))
  }

  it("has one taint of a key and an effect", () => {
    const taint = (value: string, effect: string) => ({ key: "a", value, effect })
    const taints = [taint("x", "NoSchedule"), taint("x", "NoExecute"), taint("y", "NoSchedule")]
    expect(nodeErrors({ taints })).toEqual([
      'metadata.taints[2]: Duplicate value: {"Key":"a","Value":"y","Effect":"NoSchedule","TimeAdded":null}: ' +
        "taints must be unique by key and effect pair"
    ])
  })

  it("has ranges of addresses for its Pods", () => {
    const rule = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
    expect(nodeErrors({ podCIDR: "10.1.0.0/24", podCIDRs: ["10.1.0.0/24"] })).toEqual([])
    expect(nodeErrors({ podCIDR: "10.1.0.0" })).toEqual([
      `spec.podCIDRs[0]: Invalid value: "10.1.0.0": ${rule}`
    ])
  })
})

describe("an update of a Node (TestValidateNodeUpdate)", () => {
  const range = { podCIDR: "10.1.0.0/24", podCIDRs: ["10.1.0.0/24"] }
  it.each([
    {
      why: "gives it its range and its machine",
      before: { unschedulable: true },
      spec: { ...range, providerID: "cloud://7" },
      errors: []
    },
    {
      why: "keeps its range and its machine",
      before: { ...range, providerID: "cloud://7" },
      spec: { podCIDR: "10.2.0.0/24", providerID: "cloud://8" },
      errors: [
        'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
        'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
        "[]: Forbidden: node updates may only change labels, taints, or capacity"
      ]
    }
  ])("$why", ({ before, spec, errors }) => {
    const node = (its: object) => {
      const draft = { apiVersion: "v1", kind: "Node", metadata: { name: "n-1", uid: "1" }, spec: its }
      return draft
    }
    expect(errorTexts(validateUpdate(nodes, node(spec), node(before)))).toEqual(errors)
  })
})

describe("the finalizers of a Namespace (TestValidateNamespace)", () => {
  const ownerless = "name is neither a standard finalizer name nor is it fully qualified"
  it.each([
    { finalizers: undefined, problems: [] },
    { finalizers: ["kubernetes"], problems: [] },
    { finalizers: ["example.com/keep"], problems: [] },
    { finalizers: ["keep"], problems: [["keep", ownerless]] },
    {
      finalizers: ["kubernetes", "-a"],
      problems: [
        ["-a", namePart],
        ["-a", ownerless]
      ]
    }
  ])("validates $finalizers", ({ finalizers, problems }) => {
    const spec = finalizers === undefined ? {} : { spec: { finalizers } }
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" }, ...spec }
    const errors = problems.map(([name, problem]) => `spec.finalizers: Invalid value: "${name}": ${problem}`)
    expect(errorTexts(validateCreate(namespaces, namespace))).toEqual(errors)
  })
})

describe("the labels of Pod Security of a Namespace", () => {
  const wrong = { "pod-security.kubernetes.io/enforce": "strict" }
  const error = (mode: string, level: string): string =>
    `metadata.labels[pod-security.kubernetes.io/${mode}]: Invalid value: "${level}": ` +
    "must be one of privileged, baseline, restricted"
  it.each([
    { why: "stay wrong", labels: { ...wrong, color: "red" }, errors: [] },
    { why: "are corrected", labels: {}, errors: [] },
    {
      why: "become wrong in another way",
      labels: { "pod-security.kubernetes.io/enforce": "stricter" },
      errors: [error("enforce", "stricter")]
    },
    {
      why: "get a second wrong one",
      labels: { ...wrong, "pod-security.kubernetes.io/warn": "strict" },
      errors: [error("enforce", "strict"), error("warn", "strict")]
    }
  ])("are compared with those before, where they $why", ({ labels, errors }) => {
    const namespace = (its: Record<string, string>) => ({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "a", uid: "1", labels: its }
    })
    expect(errorTexts(validateUpdate(namespaces, namespace(labels), namespace(wrong)))).toEqual(errors)
  })
})
