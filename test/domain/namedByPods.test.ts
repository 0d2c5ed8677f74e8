import { expect, it } from "vitest"
import { podReferences } from "../../src/kubernetes/pods/podReferences.ts"

const account = (name: string) => `serviceAccountName: serviceaccounts shop/${name}`
const priorityClass = (name: string) => `priorityClassName: priorityclasses.scheduling.k8s.io ${name}`

it.each<{ readonly why: string; readonly spec: object; readonly names: ReadonlyArray<string> }>([
  {
    why: "an account of its namespace and a class of the cluster",
    spec: { serviceAccountName: "robot", priorityClassName: "high" },
    names: [account("robot"), priorityClass("high")]
  },
  { why: "the account alone", spec: { serviceAccountName: "robot" }, names: [account("robot")] },
  { why: "the class alone", spec: { priorityClassName: "high" }, names: [priorityClass("high")] },
  { why: "nothing by itself", spec: {}, names: [] },
  { why: "nothing by an empty name", spec: { serviceAccountName: "", priorityClassName: "" }, names: [] },
  {
    why: "nothing by what is no name",
    spec: { serviceAccountName: 1, priorityClassName: null },
    names: []
  },
  {
    why: "nothing that is there in every namespace, or in every cluster",
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
