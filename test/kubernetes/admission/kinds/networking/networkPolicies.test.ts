import { describe, expect, it } from "vitest"
import { aDraft, refusesChange, refusesNew } from "../kindErrors.ts"
import {
  canonicalCidrProblem,
  canonicalIpProblem,
  cidrProblem,
  parseIp,
  validateIp
} from "../../../../../src/kubernetes/validation/addresses.ts"
import { edited, errorTexts } from "../../drafts.ts"

const ipBlock = { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] }
const aPolicy = aDraft("NetworkPolicy", "web", {
  spec: {
    podSelector: { matchLabels: { app: "web" } },
    policyTypes: ["Ingress"],
    ingress: [{ from: [{ ipBlock }, { podSelector: {}, namespaceSelector: {} }], ports: [{ port: 80 }] }]
  }
})
const port = "spec.ingress[0].ports[0]"
const from = "spec.ingress[0].from[0]"
const ports = (...list: ReadonlyArray<object>) => [["spec.ingress.0.ports", list]] as const
const peer = (value: object) => [["spec.ingress.0.from", [value]]] as const
const validCidr = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"

describe("a new NetworkPolicy", () => {
  refusesNew(aPolicy, [
    { why: "is valid", edits: [], errors: [] },
    {
      why: "may allow a range of ports",
      edits: ports({ port: 80, endPort: 90, protocol: "TCP" }),
      errors: []
    },
    {
      why: "has types that exist",
      edits: [["spec.policyTypes", ["Sideways"]]],
      errors: ['spec.policyTypes[0]: Unsupported value: "Sideways": supported values: "Ingress", "Egress"']
    },
    {
      why: "has two types at most",
      edits: [["spec.policyTypes", ["Ingress", "Egress", "Ingress"]]],
      errors: [
        'spec.policyTypes: Invalid value: ["Ingress","Egress","Ingress"]: may not specify more than two policyTypes'
      ]
    },
    {
      why: "has ports and protocols that exist",
      edits: ports({ port: 0, protocol: "ICMP" }),
      errors: [
        `${port}.protocol: Unsupported value: "ICMP": supported values: "TCP", "UDP", "SCTP"`,
        `${port}.port: Invalid value: 0: must be between 1 and 65535, inclusive`
      ]
    },
    {
      why: "has ranges of ports that do not end before they begin",
      edits: ports({ port: 90, endPort: 80 }),
      errors: [`${port}.endPort: Invalid value: 90: must be greater than or equal to \`port\``]
    },
    {
      why: "has ranges of numbers",
      edits: ports({ port: "http", endPort: 80 }, { endPort: 80 }),
      errors: [
        `${port}.endPort: Invalid value: 80: may not be specified when \`port\` is non-numeric`,
        "spec.ingress[0].ports[1].endPort: Invalid value: 80: may not be specified when `port` is not specified"
      ]
    },
    { why: "says who may come", edits: peer({}), errors: [`${from}: Required value: must specify a peer`] },
    {
      why: "has either addresses or Pods in a peer",
      edits: peer({ ipBlock, podSelector: {} }),
      errors: [`${from}: Forbidden: may not specify both ipBlock and another peer`]
    },
    {
      why: "has blocks of addresses",
      edits: peer({ ipBlock: { cidr: "10.0.0.1" } }),
      errors: [`${from}.ipBlock.cidr: Invalid value: "10.0.0.1": ${validCidr}`]
    },
    {
      why: "has a block where it excepts parts of one",
      edits: peer({ ipBlock: { except: ["10.0.0.0/8"] } }),
      errors: [`${from}.ipBlock.cidr: Required value`]
    },
    {
      why: "excepts parts of the block, not all of it",
      edits: peer({ ipBlock: { cidr: "10.0.0.0/8", except: ["10.0.0.0/8", "11.0.0.0/16", "10.1.0.1/16"] } }),
      errors: [
        `${from}.ipBlock.except[0]: Invalid value: "10.0.0.0/8": must be a strict subset of \`cidr\``,
        `${from}.ipBlock.except[1]: Invalid value: "11.0.0.0/16": must be a strict subset of \`cidr\``,
        `${from}.ipBlock.except[2]: Invalid value: "10.1.0.1/16": must not have bits set beyond the prefix length`
      ]
    },
    {
      why: "has valid rules for what goes out",
      edits: [["spec.egress", [{ to: [{}], ports: [{ port: "HTTP" }] }]]],
      errors: [
        'spec.egress[0].ports[0].port: Invalid value: "HTTP": must contain only alpha-numeric characters (a-z, 0-9), ' +
          "and hyphens (-)",
        'spec.egress[0].ports[0].port: Invalid value: "HTTP": must contain at least one letter (a-z)',
        "spec.egress[0].to[0]: Required value: must specify a peer"
      ]
    }
  ])
})

describe("a stored NetworkPolicy", () => {
  refusesChange(edited(aPolicy, ["spec.ingress.0.from.0.ipBlock.cidr", "10.0.0.9/8"]), [
    { why: "keeps a block that was written loosely", edits: [["spec.policyTypes", ["Egress"]]], errors: [] }
  ])
})

describe("an IP address", () => {
  it.each([
    ["10.0.0.1", 32, 0x0a000001n],
    ["::", 128, 0n],
    ["::1", 128, 1n],
    ["2001:db8::ff", 128, 0x20010db80000000000000000000000ffn],
    ["1:2:3:4:5:6:7:8", 128, 0x00010002000300040005000600070008n],
    ["::ffff:10.0.0.1", 128, 0xffff0a000001n]
  ] as const)("is read: %s", (text, bitLength, value) => {
    expect(parseIp(text)).toMatchObject({ bitLength, value })
  })

  it.each([
    "",
    "1.2.3",
    "1.2.3.256",
    "1.2.3.x",
    ":::",
    "1::2::3",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8::",
    "g::",
    "fe80::1%a"
  ])("is refused: %j", (text) => {
    expect(parseIp(text)).toBeUndefined()
  })

  it.each([
    ["010.0.0.1", "must not have leading 0s"],
    ["::ffff:1.2.3.4", "must not be an IPv4-mapped IPv6 address"],
    ["300.1.2.3", "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"]
  ])("is refused in a field, as others may read it differently: %s", (text, why) => {
    expect(errorTexts(validateIp(text, "ip"))).toEqual([`ip: Invalid value: "${text}": ${why}`])
  })
})

describe("the canonical text of an address", () => {
  it.each([
    ["2001:db8::1", undefined],
    ["10.0.0.1", undefined],
    ["::", undefined],
    ["1:0:0:2::3", undefined],
    ["2001:DB8:0:0:1:0:0:1", 'must be in canonical form ("2001:db8::1:0:0:1")'],
    ["010.0.0.1", 'must be in canonical form ("10.0.0.1")'],
    ["::ffff:1.2.3.4", "must not be an IPv4-mapped IPv6 address"],
    ["web", "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"]
  ])("is the only one that is accepted: %s", (text, problem) => {
    expect(canonicalIpProblem(text)).toBe(problem)
  })
})

describe("a block of addresses", () => {
  it.each(["10.0.0.0/8", "2001:db8::/64", "0.0.0.0/0", "::1/128"])("is valid: %s", (text) => {
    expect(cidrProblem(text)).toBeUndefined()
  })

  it.each([
    ["10.0.0.0/33", validCidr],
    ["10.0.0.0/-1", validCidr],
    ["/8", validCidr],
    ["10.0.0.0/08", "must not have leading 0s in IP or prefix length"],
    ["::ffff:10.0.0.0/104", "must not have an IPv4-mapped IPv6 address"],
    ["10.0.0.1/8", "must not have bits set beyond the prefix length"]
  ])("is refused: %s", (text, problem) => {
    expect(cidrProblem(text)).toBe(problem)
  })

  it("has one canonical text", () => {
    expect(canonicalCidrProblem("2001:db8::/64")).toBeUndefined()
    expect(canonicalCidrProblem("2001:DB8::/64")).toBe('must be in canonical form ("2001:db8::/64")')
    expect(canonicalCidrProblem("10.0.0.1/8")).toBe("must not have bits set beyond the prefix length")
  })
})
