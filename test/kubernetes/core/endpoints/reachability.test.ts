import { describe, expect, it } from "vitest"
import {
  canReachPods,
  canReceiveRequests,
  selectsPods,
  namespacedTemplateLabels
} from "../../../../src/kubernetes/core/endpoints.ts"
import { aDeployment, aPod, aTemplate } from "../../../builders.ts"
import { aService } from "./serviceBuilders.ts"
import type { EndpointSlice } from "../../../../src/kubernetes/core/endpoints.ts"

describe("a Service", () => {
  const { namespace } = aService().metadata

  it.each([
    { why: "selects Pods with its labels", spec: {}, labels: { app: "web", tier: "a" }, isSelected: true },
    { why: "selects no others", spec: {}, labels: { app: "db" }, isSelected: false },
    {
      why: "without a selector selects none",
      spec: { selector: {} },
      labels: { app: "web" },
      isSelected: false
    },
    {
      why: "without the field selects none",
      spec: { selector: undefined },
      labels: { app: "web" },
      isSelected: false
    },
    {
      why: "that is a name of another host selects none",
      spec: { type: "ExternalName" },
      labels: { app: "web" },
      isSelected: false
    }
  ])("$why", ({ spec, labels, isSelected }) => {
    expect(selectsPods(aService(spec), { namespace, labels })).toBe(isSelected)
    expect(selectsPods(aService(spec), { namespace: "other", labels })).toBe(false)
  })

  it("selects the Pods of a Deployment by the labels of its template", () => {
    expect(namespacedTemplateLabels(aDeployment())).toEqual({ namespace, labels: { app: "web" } })
    const { metadata: _metadata, ...template } = aTemplate()
    expect(namespacedTemplateLabels(aDeployment({ template })).labels).toEqual({})
  })

  const named = { ports: [{ name: "http", port: 80, targetPort: "http" }] }
  const serving = {
    containers: [{ name: "app", image: "a", ports: [{ name: "http", containerPort: 8080 }] }]
  }

  it.each([
    { why: "reaches Pods at a number", spec: {}, pod: {}, isReachable: true },
    { why: "reaches Pods at a port that they name", spec: named, pod: serving, isReachable: true },
    { why: "does not reach Pods without its port", spec: named, pod: {}, isReachable: false },
    { why: "reaches no Pod without ports", spec: { ports: [] }, pod: {}, isReachable: false },
    {
      why: "that is headless reaches Pods at any port",
      spec: { ...named, clusterIP: "None" },
      pod: {},
      isReachable: true
    }
  ])("$why", ({ spec, pod, isReachable }) => {
    expect(canReachPods(aService(spec), aPod({ spec: pod }))).toBe(isReachable)
  })
})

describe("an EndpointSlice", () => {
  const headless = { "service.kubernetes.io/headless": "" }

  it.each([
    { why: "with a port is reachable", ports: [{ port: 80 }], labels: {}, isReachable: true },
    { why: "without ports is not", ports: [], labels: {}, isReachable: false },
    { why: "without ports and labels is not", ports: undefined, labels: undefined, isReachable: false },
    {
      why: "of a headless Service is reachable without ports",
      ports: [],
      labels: headless,
      isReachable: true
    }
  ])("$why", ({ ports, labels, isReachable }) => {
    const { metadata } = aPod()
    const slice = { metadata: { ...metadata, labels }, ...(ports === undefined ? {} : { ports }) }
    expect(canReceiveRequests(slice as unknown as EndpointSlice)).toBe(isReachable)
  })
})
