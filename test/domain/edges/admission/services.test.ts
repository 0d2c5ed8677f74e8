import { describe, expect, it } from "vitest"
import { validateCreate, validateUpdate, withDefaults } from "../../../../src/kubernetes/admission/admit.ts"
import { withIpFamilies } from "../../../../src/kubernetes/admission/kinds/validateService.ts"
import { kindNamed, labelRule, texts } from "../../admission/drafts.ts"
import type { LooseDraft } from "../../admission/drafts.ts"

const services = kindNamed("Service")
const outward = { type: "NodePort" }

const aService = (spec?: object): LooseDraft =>
  withDefaults(services, {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", namespace: "shop" },
    ...(spec === undefined ? {} : { spec: { ports: [{ port: 80 }], ...spec } })
  } as LooseDraft)
/** As the store has completed it. */
const complete = (spec: object): LooseDraft => {
  const { spec: given = {}, ...others } = aService(spec)
  return { ...others, spec: withIpFamilies(given) }
}
const errorsOf = (spec: object) => texts(validateCreate(services, complete(spec)))

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

describe("a Service that says nothing", () => {
  it("lacks nothing but its ports", () => {
    expect(texts(validateCreate(services, aService()))).toEqual(["spec.ports: Required value"])
  })
})

describe("the port that a Service sends to", () => {
  it.each([{ targetPort: "" }, { targetPort: 0 }, {}])(
    "is its own where $targetPort is asked for",
    (port) => {
      expect(aService({ ports: [{ port: 7, ...port }] }).spec).toMatchObject({
        ports: [{ port: 7, targetPort: 7 }]
      })
    }
  )

  it("may be any other", () => {
    expect(aService({ ports: [{ port: 7, targetPort: 1 }] }).spec).toMatchObject({
      ports: [{ targetPort: 1 }]
    })
  })
})

describe("the families of a Service (initIPFamilyFields)", () => {
  const selector = { app: "web" }

  it.each([
    {
      why: "one that finds its Pods has one, whatever it prefers",
      spec: { selector, ipFamilyPolicy: "PreferDualStack" },
      ipFamilies: ["IPv4"]
    },
    {
      why: "one without an address may want one alone",
      spec: { clusterIPs: ["None"], ipFamilyPolicy: "SingleStack" },
      ipFamilies: ["IPv4"]
    },
    {
      why: "one without an address in either field has both",
      spec: { clusterIPs: ["None"] },
      ipFamilies: ["IPv4", "IPv6"]
    },
    { why: "one that is named is kept", spec: { ipFamilies: ["IPv6"] }, ipFamilies: ["IPv6"] },
    { why: "no names are none", spec: { ipFamilies: [] }, ipFamilies: ["IPv4"] }
  ])("$why", ({ spec, ipFamilies }) => {
    expect(complete(spec).spec).toMatchObject({ ipFamilies })
  })
})

describe("the two fields of an address say the same (NormalizeClusterIPs)", () => {
  it.each([
    { given: { clusterIP: "10.96.0.9" }, is: { clusterIP: "10.96.0.9", clusterIPs: ["10.96.0.9"] } },
    { given: { clusterIPs: ["10.96.0.9"] }, is: { clusterIP: "10.96.0.9", clusterIPs: ["10.96.0.9"] } },
    {
      given: { clusterIP: "", clusterIPs: ["10.96.0.9"] },
      is: { clusterIP: "10.96.0.9", clusterIPs: ["10.96.0.9"] }
    },
    {
      given: { clusterIP: "10.96.0.3", clusterIPs: ["10.96.0.9"] },
      is: { clusterIP: "10.96.0.3", clusterIPs: ["10.96.0.9"] }
    },
    { given: { clusterIP: "" }, is: { clusterIP: "" } },
    { given: {}, is: {} }
  ])("$given becomes $is", ({ given, is }) => {
    const { clusterIP, clusterIPs } = complete(given).spec as {
      readonly clusterIP?: string
      readonly clusterIPs?: ReadonlyArray<string>
    }
    expect({ clusterIP, clusterIPs }).toEqual({ clusterIP: undefined, clusterIPs: undefined, ...is })
  })
})

describe("the address of a Service (TestValidateServiceCreate)", () => {
  check([
    { why: "is of numbers up to 255", spec: { clusterIP: "10.255.0.255" }, errors: [] },
    {
      why: "and not beyond",
      spec: { clusterIP: "10.96.256.1" },
      errors: [`spec.clusterIPs[0]: Invalid value: "10.96.256.1": ${addressRule}`]
    },
    {
      why: "is of four numbers",
      spec: { clusterIP: "10.96.7" },
      errors: [`spec.clusterIPs[0]: Invalid value: "10.96.7": ${addressRule}`]
    },
    {
      why: "may be of both families",
      spec: { clusterIP: "10.96.0.9", clusterIPs: ["10.96.0.9", "fd00:10:96::9"] },
      errors: []
    },
    {
      why: "is one of each",
      spec: { clusterIPs: ["10.96.0.9", "fd00::9", "fd00::a"] },
      errors: [
        'spec.clusterIPs: Invalid value: ["10.96.0.9","fd00::9","fd00::a"]: may only hold up to 2 values'
      ]
    },
    {
      why: "is none or is one",
      spec: { clusterIPs: ["10.96.0.9", "None"] },
      errors: ['spec.clusterIPs[1]: Invalid value: "None": must be empty when `clusterIPs[0]` is `None`']
    },
    { why: "is there for one that is reached from outside", spec: outward, errors: [] }
  ])
})

describe("a name that lies elsewhere (TestValidateServiceCreate)", () => {
  const elsewhere = { type: "ExternalName", ports: [] }

  check([
    {
      why: "needs no ports, and may end with a dot",
      spec: { ...elsewhere, externalName: "a.example." },
      errors: []
    },
    {
      why: "is a name",
      spec: { ...elsewhere, externalName: "a_b" },
      errors: [
        'spec.externalName: Invalid value: "a_b": a lowercase RFC 1123 subdomain must consist of lower case ' +
          "alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. " +
          "'example.com', regex used for validation is " +
          "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
      ]
    },
    {
      why: "has no address, and nobody asks what is wrong with that",
      spec: { ...elsewhere, externalName: "a.example", clusterIP: "x", clusterIPs: ["y"] },
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
      why: "have numbers",
      spec: { ports: [{}] },
      errors: [
        "spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive",
        "spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive"
      ]
    },
    {
      why: "have names where there are two",
      spec: { ports: [{ port: 80 }, { port: 81 }] },
      errors: ["spec.ports[0].name: Required value", "spec.ports[1].name: Required value"]
    },
    {
      why: "have names that are labels, though one alone needs none",
      spec: { ports: [{ name: "A", port: 80 }] },
      errors: [`spec.ports[0].name: Invalid value: "A": ${labelRule}`]
    },
    {
      why: "are open outside at one port each",
      spec: twice({ nodePort: 30_007 }, { nodePort: 30_009 }),
      errors: []
    },
    {
      why: "are not open outside at the same",
      spec: twice({ nodePort: 30_007 }, { nodePort: 30_007 }),
      errors: [`spec.ports[1].nodePort: Duplicate value: ${portStruct({ NodePort: 30_007 })}`]
    },
    {
      why: "but at the same by two protocols, as inside",
      spec: twice({ nodePort: 30_007 }, { nodePort: 30_007, port: 80, protocol: "UDP" }),
      errors: []
    },
    {
      why: "are not the same inside",
      spec: twice({}, { port: 80 }),
      errors: [`spec.ports[1]: Duplicate value: ${portStruct({ Port: 80 })}`]
    }
  ])
})

describe("the ways to a Service (TestValidateServiceCreate)", () => {
  check([
    {
      why: "from outside lead in at its node",
      spec: { ...outward, externalTrafficPolicy: "Local" },
      errors: []
    },
    {
      why: "or at an address of its own",
      spec: { externalIPs: ["192.0.2.7"], externalTrafficPolicy: "Local" },
      errors: []
    },
    {
      why: "from outside are two",
      spec: { ...outward, externalTrafficPolicy: "Far" },
      errors: ['spec.externalTrafficPolicy: Unsupported value: "Far": supported values: "Cluster", "Local"']
    },
    { why: "from inside stay near where it says so", spec: { internalTrafficPolicy: "Local" }, errors: [] },
    {
      why: "from inside are two",
      spec: { internalTrafficPolicy: "Far" },
      errors: ['spec.internalTrafficPolicy: Unsupported value: "Far": supported values: "Cluster", "Local"']
    }
  ])
})

describe("a stored Service (TestValidateServiceUpdate)", () => {
  const elsewhere = { type: "ExternalName", externalName: "a.example" }
  const moved = (to: string) => [`spec.clusterIPs[0]: Invalid value: ["${to}"]: may not change once set`]
  it.each([
    {
      why: "stays where it is",
      from: { clusterIP: "10.96.0.3" },
      to: { clusterIP: "10.96.0.3" },
      errors: []
    },
    {
      why: "does not move",
      from: { clusterIP: "10.96.0.3" },
      to: { clusterIP: "10.96.0.9" },
      errors: moved("10.96.0.9")
    },
    {
      why: "may get a second address",
      from: { clusterIP: "10.96.0.3" },
      to: { clusterIPs: ["10.96.0.3", "fd00::9"] },
      errors: []
    },
    { why: "may be told where it is", from: {}, to: { clusterIP: "10.96.0.9" }, errors: [] },
    { why: "may go elsewhere", from: { clusterIP: "10.96.0.3" }, to: elsewhere, errors: [] },
    {
      why: "may come from elsewhere",
      from: { ...elsewhere, clusterIPs: ["x"] },
      to: { clusterIP: "10.96.0.9" },
      errors: []
    },
    {
      why: "has ports",
      from: {},
      to: { ports: [] },
      errors: ["spec.ports: Required value"]
    }
  ])("$why", ({ from, to, errors }) => {
    expect(texts(validateUpdate(services, complete(to), complete(from)))).toEqual(errors)
  })
})
