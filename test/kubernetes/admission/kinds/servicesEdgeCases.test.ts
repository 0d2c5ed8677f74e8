import { describe, expect, it } from "vitest"
import { kindNamed } from "../../../builders.ts"
import { validateCreate, validateUpdate, withDefaults } from "../../../../src/kubernetes/admission/admit.ts"
import { withIpFamilies } from "../../../../src/kubernetes/admission/kinds/validateService.ts"
import { labelRule, errorTexts } from "../drafts.ts"
import type { LooseDraft } from "../../../builders.ts"

const services = kindNamed("Service")
const outward = { type: "NodePort" }

const aService = (spec?: object): LooseDraft =>
  withDefaults(services, {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", namespace: "shop" },
    ...(spec === undefined ? {} : { spec: { ports: [{ port: 80 }], ...spec } })
  } as LooseDraft)
const complete = (spec: object): LooseDraft => {
  const { spec: input = {}, ...others } = aService(spec)
  return { ...others, spec: withIpFamilies(input) }
}
const errorsOf = (spec: object) => errorTexts(validateCreate(services, complete(spec)))

const portStruct = (port: { readonly Port?: number; readonly NodePort?: number }) =>
  JSON.stringify({
    Name: "",
    Protocol: "TCP",
    AppProtocol: null,
    Port: port.Port ?? 0,
    TargetPort: 0,
    NodePort: port.NodePort ?? 0
  })
const addressRule = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"

interface Row {
  readonly why: string
  readonly spec: object
  readonly errors: ReadonlyArray<string>
}
const check = (rows: ReadonlyArray<Row>): void => {
  it.each(rows)("$why", ({ spec, errors }) => {
    expect(errorsOf(spec)).toEqual(errors)
  })
}

describe("a Service without a spec", () => {
  it("lacks only ports", () => {
    expect(errorTexts(validateCreate(services, aService()))).toEqual(["spec.ports: Required value"])
  })
})

describe("the targetPort of a Service", () => {
  it.each([{ targetPort: "" }, { targetPort: 0 }, {}])("defaults to the port for $targetPort", (port) => {
    expect(aService({ ports: [{ port: 7, ...port }] }).spec).toMatchObject({
      ports: [{ port: 7, targetPort: 7 }]
    })
  })

  it("may be another port", () => {
    expect(aService({ ports: [{ port: 7, targetPort: 1 }] }).spec).toMatchObject({
      ports: [{ targetPort: 1 }]
    })
  })
})

describe("the default IP families of a Service (initIPFamilyFields)", () => {
  const selector = { app: "web" }

  it.each([
    {
      why: "one family for a Service with a selector, whatever its policy",
      spec: { selector, ipFamilyPolicy: "PreferDualStack" },
      ipFamilies: ["IPv4"]
    },
    {
      why: "one family for a headless Service with SingleStack",
      spec: { clusterIPs: ["None"], ipFamilyPolicy: "SingleStack" },
      ipFamilies: ["IPv4"]
    },
    {
      why: "both families for a headless Service with clusterIPs",
      spec: { clusterIPs: ["None"] },
      ipFamilies: ["IPv4", "IPv6"]
    },
    { why: "a given family is kept", spec: { ipFamilies: ["IPv6"] }, ipFamilies: ["IPv6"] },
    { why: "one family for an empty list", spec: { ipFamilies: [] }, ipFamilies: ["IPv4"] }
  ])("$why", ({ spec, ipFamilies }) => {
    expect(complete(spec).spec).toMatchObject({ ipFamilies })
  })
})

describe("clusterIP and clusterIPs (NormalizeClusterIPs)", () => {
  it.each([
    { input: { clusterIP: "10.96.0.9" }, normalized: { clusterIP: "10.96.0.9", clusterIPs: ["10.96.0.9"] } },
    {
      input: { clusterIPs: ["10.96.0.9"] },
      normalized: { clusterIP: "10.96.0.9", clusterIPs: ["10.96.0.9"] }
    },
    {
      input: { clusterIP: "", clusterIPs: ["10.96.0.9"] },
      normalized: { clusterIP: "10.96.0.9", clusterIPs: ["10.96.0.9"] }
    },
    {
      input: { clusterIP: "10.96.0.3", clusterIPs: ["10.96.0.9"] },
      normalized: { clusterIP: "10.96.0.3", clusterIPs: ["10.96.0.9"] }
    },
    { input: { clusterIP: "" }, normalized: { clusterIP: "" } },
    { input: {}, normalized: {} }
  ])("of $input become $normalized", ({ input, normalized }) => {
    const { clusterIP, clusterIPs } = complete(input).spec as {
      readonly clusterIP?: string
      readonly clusterIPs?: ReadonlyArray<string>
    }
    expect({ clusterIP, clusterIPs }).toEqual({ clusterIP: undefined, clusterIPs: undefined, ...normalized })
  })
})

describe("the cluster IP of a Service (TestValidateServiceCreate)", () => {
  check([
    { why: "may have numbers up to 255", spec: { clusterIP: "10.255.0.255" }, errors: [] },
    {
      why: "rejects numbers above 255",
      spec: { clusterIP: "10.96.256.1" },
      errors: [`spec.clusterIPs[0]: Invalid value: "10.96.256.1": ${addressRule}`]
    },
    {
      why: "rejects three numbers",
      spec: { clusterIP: "10.96.7" },
      errors: [`spec.clusterIPs[0]: Invalid value: "10.96.7": ${addressRule}`]
    },
    {
      why: "may be dual stack",
      spec: { clusterIP: "10.96.0.9", clusterIPs: ["10.96.0.9", "fd00:10:96::9"] },
      errors: []
    },
    {
      why: "rejects three addresses",
      spec: { clusterIPs: ["10.96.0.9", "fd00::9", "fd00::a"] },
      errors: [
        'spec.clusterIPs: Invalid value: ["10.96.0.9","fd00::9","fd00::a"]: may only hold up to 2 values'
      ]
    },
    {
      why: "rejects None beside an address",
      spec: { clusterIPs: ["10.96.0.9", "None"] },
      errors: ['spec.clusterIPs[1]: Invalid value: "None": must be empty when `clusterIPs[0]` is `None`']
    },
    { why: "is required of a NodePort", spec: outward, errors: [] }
  ])
})

describe("an ExternalName Service (TestValidateServiceCreate)", () => {
  const external = { type: "ExternalName", ports: [] }

  check([
    {
      why: "needs no ports, and its name may end with a dot",
      spec: { ...external, externalName: "a.example." },
      errors: []
    },
    {
      why: "requires a valid name",
      spec: { ...external, externalName: "a_b" },
      errors: [
        'spec.externalName: Invalid value: "a_b": a lowercase RFC 1123 subdomain must consist of lower case ' +
          "alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. " +
          "'example.com', regex used for validation is " +
          "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
      ]
    },
    {
      why: "forbids cluster IPs without validating them",
      spec: { ...external, externalName: "a.example", clusterIP: "x", clusterIPs: ["y"] },
      errors: ["spec.clusterIPs: Forbidden: may not be set for ExternalName services"]
    }
  ])
})

describe("the ports of a Service (TestValidateServiceCreate)", () => {
  const twice = (first: object, second: object) => ({
    ...outward,
    ports: [
      { name: "a", port: 80, ...first },
      { name: "b", port: 81, ...second }
    ]
  })
  check([
    {
      why: "require numbers",
      spec: { ports: [{}] },
      errors: [
        "spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive",
        "spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive"
      ]
    },
    {
      why: "require names when there are several",
      spec: { ports: [{ port: 80 }, { port: 81 }] },
      errors: ["spec.ports[0].name: Required value", "spec.ports[1].name: Required value"]
    },
    {
      why: "require a label as name, though a single port needs none",
      spec: { ports: [{ name: "A", port: 80 }] },
      errors: [`spec.ports[0].name: Invalid value: "A": ${labelRule}`]
    },
    {
      why: "may have different node ports",
      spec: twice({ nodePort: 30_007 }, { nodePort: 30_009 }),
      errors: []
    },
    {
      why: "reject a node port used twice",
      spec: twice({ nodePort: 30_007 }, { nodePort: 30_007 }),
      errors: [`spec.ports[1].nodePort: Duplicate value: ${portStruct({ NodePort: 30_007 })}`]
    },
    {
      why: "accept a node port used by two protocols",
      spec: twice({ nodePort: 30_007 }, { nodePort: 30_007, port: 80, protocol: "UDP" }),
      errors: []
    },
    {
      why: "reject a port used twice",
      spec: twice({}, { port: 80 }),
      errors: [`spec.ports[1]: Duplicate value: ${portStruct({ Port: 80 })}`]
    }
  ])
})

describe("the traffic policies of a Service (TestValidateServiceCreate)", () => {
  check([
    {
      why: "may be Local for a NodePort",
      spec: { ...outward, externalTrafficPolicy: "Local" },
      errors: []
    },
    {
      why: "may be Local with external IPs",
      spec: { externalIPs: ["192.0.2.7"], externalTrafficPolicy: "Local" },
      errors: []
    },
    {
      why: "reject an unknown external policy",
      spec: { ...outward, externalTrafficPolicy: "Far" },
      errors: ['spec.externalTrafficPolicy: Unsupported value: "Far": supported values: "Cluster", "Local"']
    },
    { why: "may be Local inside the cluster", spec: { internalTrafficPolicy: "Local" }, errors: [] },
    {
      why: "reject an unknown internal policy",
      spec: { internalTrafficPolicy: "Far" },
      errors: ['spec.internalTrafficPolicy: Unsupported value: "Far": supported values: "Cluster", "Local"']
    }
  ])
})

describe("an update of a Service (TestValidateServiceUpdate)", () => {
  const external = { type: "ExternalName", externalName: "a.example" }
  const clusterIPChanged = (newSpec: string) => [
    `spec.clusterIPs[0]: Invalid value: ["${newSpec}"]: may not change once set`
  ]
  it.each([
    {
      why: "may repeat the cluster IP",
      oldSpec: { clusterIP: "10.96.0.3" },
      newSpec: { clusterIP: "10.96.0.3" },
      errors: []
    },
    {
      why: "may not change the cluster IP",
      oldSpec: { clusterIP: "10.96.0.3" },
      newSpec: { clusterIP: "10.96.0.9" },
      errors: clusterIPChanged("10.96.0.9")
    },
    {
      why: "may add a secondary cluster IP",
      oldSpec: { clusterIP: "10.96.0.3" },
      newSpec: { clusterIPs: ["10.96.0.3", "fd00::9"] },
      errors: []
    },
    { why: "may set the first cluster IP", oldSpec: {}, newSpec: { clusterIP: "10.96.0.9" }, errors: [] },
    { why: "may become an ExternalName", oldSpec: { clusterIP: "10.96.0.3" }, newSpec: external, errors: [] },
    {
      why: "may stop being an ExternalName",
      oldSpec: { ...external, clusterIPs: ["x"] },
      newSpec: { clusterIP: "10.96.0.9" },
      errors: []
    },
    {
      why: "requires ports",
      oldSpec: {},
      newSpec: { ports: [] },
      errors: ["spec.ports: Required value"]
    }
  ])("$why", ({ oldSpec, newSpec, errors }) => {
    expect(errorTexts(validateUpdate(services, complete(newSpec), complete(oldSpec)))).toEqual(errors)
  })
})

describe("what clients outside the cluster reach (TestValidateServiceCreate)", () => {
  const cidrRule = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
  check([
    {
      why: "external addresses are those of no node's own range",
      spec: { externalIPs: ["192.0.2.7", "example.com", "127.0.0.1"] },
      errors: [
        `spec.externalIPs[1]: Invalid value: "example.com": ${addressRule}`,
        'spec.externalIPs[2]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)'
      ]
    },
    {
      why: "the ranges of a load balancer may have spaces around them",
      spec: { type: "LoadBalancer", loadBalancerSourceRanges: [" 192.0.2.0/24 ", "192.0.2.7"] },
      errors: [`spec.LoadBalancerSourceRanges[1]: Invalid value: "192.0.2.7": ${cidrRule}`]
    },
    {
      why: "only a load balancer has ranges",
      spec: { loadBalancerSourceRanges: ["192.0.2.0/24"] },
      errors: ["spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'"]
    },
    {
      why: "the protocol of an application is a qualified name",
      spec: {
        ports: [
          { port: 80, appProtocol: "kubernetes.io/h2c" },
          { name: "b", port: 81, appProtocol: "" }
        ]
      },
      errors: [
        "spec.ports[0].name: Required value",
        'spec.ports[1].appProtocol: Invalid value: "": name part must be non-empty',
        "spec.ports[1].appProtocol: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or " +
          "'.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', " +
          "regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
      ]
    }
  ])
})

describe("the session affinity of a Service (SetDefaults_Service, validateClientIPAffinityConfig)", () => {
  const affinity = (timeoutSeconds?: number) => ({
    sessionAffinity: "ClientIP",
    sessionAffinityConfig: { clientIP: { timeoutSeconds } }
  })
  it.each([
    {
      why: "lasts three hours",
      spec: { sessionAffinity: "ClientIP" },
      config: { clientIP: { timeoutSeconds: 10_800 } }
    },
    {
      why: "lasts three hours where its time is left out",
      spec: { sessionAffinity: "ClientIP", sessionAffinityConfig: { clientIP: {} } },
      config: { clientIP: { timeoutSeconds: 10_800 } }
    },
    { why: "may last a minute", spec: affinity(60), config: { clientIP: { timeoutSeconds: 60 } } },
    {
      why: "has no time where there is none",
      spec: { ...affinity(60), sessionAffinity: "None" },
      config: undefined
    }
  ])("$why", ({ spec, config }) => {
    expect(aService(spec).spec).toHaveProperty("sessionAffinity", spec.sessionAffinity)
    expect(
      (aService(spec).spec as { readonly sessionAffinityConfig?: object }).sessionAffinityConfig
    ).toEqual(config)
  })

  const path = "spec.sessionAffinityConfig.clientIP.timeoutSeconds"
  check([
    { why: "may last a day", spec: affinity(86_400), errors: [] },
    {
      why: "may not last longer",
      spec: affinity(86_401),
      errors: [`${path}: Invalid value: 86401: must be greater than 0 and less than 86400`]
    },
    {
      why: "lasts a second at least",
      spec: affinity(0),
      errors: [`${path}: Invalid value: 0: must be greater than 0 and less than 86400`]
    }
  ])
})
