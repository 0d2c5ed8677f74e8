import { expect, it } from "vitest"
import { podReferences } from "../../../src/kubernetes/pods/podReferences.ts"

const account = (name: string) => `serviceAccountName: serviceaccounts shop/${name}`
const priorityClass = (name: string) => `priorityClassName: priorityclasses.scheduling.k8s.io ${name}`

it.each<{ readonly why: string; readonly spec: object; readonly names: ReadonlyArray<string> }>([
  {
    why: "a service account of its namespace and a priority class of the cluster",
    spec: { serviceAccountName: "robot", priorityClassName: "high" },
    names: [account("robot"), priorityClass("high")]
  },
  { why: "only a service account", spec: { serviceAccountName: "robot" }, names: [account("robot")] },
  { why: "only a priority class", spec: { priorityClassName: "high" }, names: [priorityClass("high")] },
  { why: "nothing without the fields", spec: {}, names: [] },
  { why: "nothing with empty names", spec: { serviceAccountName: "", priorityClassName: "" }, names: [] },
  {
    why: "nothing with values that are no names",
    spec: { serviceAccountName: 1, priorityClassName: null },
    names: []
  },
  {
    why: "nothing that exists in every namespace or cluster",
    spec: { serviceAccountName: "default", priorityClassName: "system-cluster-critical" },
    names: []
  }
])("a Pod in namespace shop names $why", ({ spec, names }) => {
  expect(
    podReferences(spec, "shop").map(
      ({ field, resource, namespace, name }) =>
        `${field}: ${resource} ${namespace === undefined ? "" : `${namespace}/`}${name}`
    )
  ).toEqual(names)
})
