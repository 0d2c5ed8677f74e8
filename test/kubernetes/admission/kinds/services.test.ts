import { describe, expect, it } from "vitest"
import { kindNamed } from "../../../builders.ts"
import { validateCreate, withDefaults } from "../../../../src/kubernetes/admission/admit.ts"
import { withIpFamilies } from "../../../../src/kubernetes/admission/kinds/validateService.ts"
import { errorTexts } from "../drafts.ts"
import type { LooseDraft } from "../../../builders.ts"

const services = kindNamed("Service")

const aService = (spec: object): LooseDraft => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web", namespace: "shop" },
  spec
})

const defaulted = (spec: object): LooseDraft => withDefaults(services, aService(spec))
const complete = (spec: object): LooseDraft => {
  const { spec: defaultedSpec = {}, ...others } = defaulted({ ports: [{ port: 80 }], ...spec })
  return { ...others, spec: withIpFamilies(defaultedSpec) }
}
const errorsOf = (spec: object) => errorTexts(validateCreate(services, complete(spec)))

describe("defaults of a Service (TestSetDefaultService)", () => {
  it("are its type, traffic policies and the ports in its Pods", () => {
    expect(
      defaulted({ ports: [{ port: 80 }, { name: "n", port: 9, targetPort: "http", protocol: "UDP" }] }).spec
    ).toEqual({
      type: "ClusterIP",
      sessionAffinity: "None",
      internalTrafficPolicy: "Cluster",
      ports: [
        { port: 80, protocol: "TCP", targetPort: 80 },
        { name: "n", port: 9, targetPort: "http", protocol: "UDP" }
      ]
    })
  })

  it("depend on its type", () => {
    const more = ({ type }: { readonly type: string }) => {
      const { externalTrafficPolicy, allocateLoadBalancerNodePorts, internalTrafficPolicy } = defaulted({
        type
      }).spec as never
      return [externalTrafficPolicy, allocateLoadBalancerNodePorts, internalTrafficPolicy]
    }
    expect(["ClusterIP", "NodePort", "LoadBalancer", "ExternalName"].map((type) => more({ type }))).toEqual([
      [undefined, undefined, "Cluster"],
      ["Cluster", undefined, "Cluster"],
      ["Cluster", true, "Cluster"],
      [undefined, undefined, undefined]
    ])
  })

  it("are idempotent", () => {
    const once = defaulted({ type: "LoadBalancer", clusterIPs: ["10.96.0.3"], ports: [{ port: 80 }] })
    expect(withDefaults(services, once)).toBe(once)
  })
})

describe("the IP families of a Service", () => {
  it("are those of the cluster, and both for a headless Service without a selector", () => {
    const selector = { app: "web" }
    const specs = [{}, { selector }, { clusterIP: "None" }, { clusterIP: "None", selector }]
    expect(specs.map((spec) => complete(spec).spec)).toMatchObject([
      { ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" },
      { ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" },
      { ipFamilies: ["IPv4", "IPv6"], ipFamilyPolicy: "RequireDualStack", clusterIPs: ["None"] },
      { ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack", clusterIPs: ["None"] }
    ])
  })

  it("are absent for an ExternalName", () => {
    expect(complete({ type: "ExternalName" }).spec).not.toHaveProperty("ipFamilies")
  })
})

describe("an invalid Service (TestValidateServiceCreate)", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly spec: object
    readonly errors: ReadonlyArray<string>
  }> = [
    { why: "accepts one port without a name", spec: {}, errors: [] },
    { why: "requires ports", spec: { ports: [] }, errors: ["spec.ports: Required value"] },
    { why: "accepts a headless Service without ports", spec: { ports: [], clusterIP: "None" }, errors: [] },
    {
      why: "requires unique names of several ports",
      spec: { ports: [{ port: 80 }, { name: "a", port: 80 }, { name: "a", port: 9 }] },
      errors: [
        "spec.ports[0].name: Required value",
        'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
        'spec.ports[2].name: Duplicate value: "a"'
      ]
    },
    {
      why: "requires ports in their range",
      spec: { ports: [{ port: 70_000, targetPort: 3 }] },
      errors: ["spec.ports[0].port: Invalid value: 70000: must be between 1 and 65535, inclusive"]
    },
    {
      why: "requires a valid target port",
      spec: { ports: [{ port: 7, targetPort: "no_name" }] },
      errors: [
        'spec.ports[0].targetPort: Invalid value: "no_name": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)'
      ]
    },
    {
      why: "rejects an unknown protocol",
      spec: { ports: [{ port: 7, protocol: "HTTP" }] },
      errors: ['spec.ports[0].protocol: Unsupported value: "HTTP": supported values: "SCTP", "TCP", "UDP"']
    },
    {
      why: "forbids a node port for ClusterIP",
      spec: { ports: [{ port: 80, nodePort: 30_007 }] },
      errors: ["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"]
    },
    {
      why: "rejects an unknown type and affinity",
      spec: { type: "Cluster", sessionAffinity: "Cookie" },
      errors: [
        'spec.sessionAffinity: Unsupported value: "Cookie": supported values: "ClientIP", "None"',
        'spec.type: Unsupported value: "Cluster": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"'
      ]
    },
    {
      why: "requires an address of a NodePort",
      spec: { type: "NodePort", clusterIP: "None" },
      errors: ["spec.clusterIPs[0]: Invalid value: \"None\": may not be set to 'None' for NodePort services"]
    },
    {
      why: "requires an external name, without an address, of an ExternalName",
      spec: { type: "ExternalName", clusterIP: "10.96.0.3" },
      errors: [
        "spec.clusterIPs: Forbidden: may not be set for ExternalName services",
        "spec.externalName: Required value"
      ]
    },
    {
      why: "rejects an invalid address",
      spec: { clusterIP: "10.96.0.333" },
      errors: [
        'spec.clusterIPs[0]: Invalid value: "10.96.0.333": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'
      ]
    },
    {
      why: "requires the same address in both fields",
      spec: { clusterIP: "10.96.0.3", clusterIPs: ["10.96.0.4"] },
      errors: ['spec.clusterIPs: Invalid value: ["10.96.0.4"]: first value must match `clusterIP`']
    },
    {
      why: "forbids an external traffic policy for ClusterIP",
      spec: { externalTrafficPolicy: "Local" },
      errors: [
        'spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services'
      ]
    },
    {
      why: "rejects an invalid label in the selector",
      spec: { selector: { app: "a b" } },
      errors: [
        "spec.selector: Invalid value: \"a b\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
      ]
    }
  ]
  it.each(rows)("$why", ({ spec, errors }) => {
    expect(errorsOf(spec)).toEqual(errors)
  })
})
