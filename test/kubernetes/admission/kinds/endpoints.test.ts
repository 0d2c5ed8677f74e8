import { describe } from "vitest"
import { aDraft, refusesChange, refusesNew } from "./kindErrors.ts"
import { labelRule } from "../drafts.ts"

const special = [
  ["0.0.0.0", "may not be unspecified (0.0.0.0 or ::)"],
  ["127.0.0.1", "may not be in the loopback range (127.0.0.0/8, ::1/128)"],
  ["169.254.1.1", "may not be in the link-local range (169.254.0.0/16, fe80::/10)"],
  ["224.0.0.9", "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"]
] as const

describe("Endpoints", () => {
  const someEndpoints = aDraft("Endpoints", "web", {
    subsets: [{ addresses: [{ ip: "10.0.0.1" }], ports: [{ port: 80, protocol: "TCP" }] }]
  })

  refusesNew(someEndpoints, [
    { why: "are valid", edits: [], errors: [] },
    {
      why: "may be those of an outside Service",
      edits: [["subsets.0.addresses.0.ip", "2001:db8::1"]],
      errors: []
    },
    {
      why: "have addresses in each subset",
      edits: [["subsets.0.addresses", []]],
      errors: ["subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`"]
    },
    ...special.map(([ip, rule]) => ({
      why: `have addresses that others reach: not ${ip}`,
      edits: [["subsets.0.addresses.0.ip", ip]] as const,
      errors: [`subsets[0].addresses[0].ip: Invalid value: "${ip}": ${rule}`]
    })),
    {
      why: "have addresses that are read the same everywhere",
      edits: [["subsets.0.notReadyAddresses", [{ ip: "010.0.0.1", hostname: "A", nodeName: "node-1" }]]],
      errors: [
        'subsets[0].notReadyAddresses[0].ip: Invalid value: "010.0.0.1": must not have leading 0s',
        `subsets[0].notReadyAddresses[0].hostname: Invalid value: "A": ${labelRule}`
      ]
    },
    {
      why: "have addresses",
      edits: [["subsets.0.addresses.0.ip", "web"]],
      errors: [
        'subsets[0].addresses[0].ip: Invalid value: "web": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
        'subsets[0].addresses[0].ip: Invalid value: "web": must be a valid IP address'
      ]
    },
    {
      why: "have names for several ports, and protocols that exist",
      edits: [["subsets.0.ports", [{ port: 80 }, { port: 0, name: "b", protocol: "ICMP" }]]],
      errors: [
        "subsets[0].ports[0].name: Required value",
        "subsets[0].ports[1].port: Invalid value: 0: must be between 1 and 65535, inclusive",
        'subsets[0].ports[1].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"'
      ]
    }
  ])
})

describe("an EndpointSlice", () => {
  const aSlice = aDraft("EndpointSlice", "web-1", {
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.0.0.1"] }],
    ports: [{ name: "http", port: 80, protocol: "TCP" }]
  })
  const first = "endpoints[0].addresses[0]"

  refusesNew(aSlice, [
    { why: "is valid", edits: [], errors: [] },
    {
      why: "says what its addresses are",
      edits: [["addressType", ""]],
      errors: ["addressType: Required value"]
    },
    {
      why: "has addresses of a type that exists",
      edits: [["addressType", "MAC"]],
      errors: ['addressType: Unsupported value: "MAC": supported values: "FQDN", "IPv4", "IPv6"']
    },
    {
      why: "has addresses in each endpoint",
      edits: [["endpoints.0.addresses", []]],
      errors: ["endpoints[0].addresses: Required value: must contain at least 1 address"]
    },
    {
      why: "has addresses of its family",
      edits: [["endpoints.0.addresses.0", "2001:db8::1"]],
      errors: [`${first}: Invalid value: "2001:db8::1": must be a valid IPv4 address`]
    },
    {
      why: "has addresses that others reach",
      edits: [
        ["addressType", "IPv6"],
        ["endpoints.0.addresses.0", "fe80::1"]
      ],
      errors: [
        `${first}: Invalid value: "fe80::1": may not be in the link-local range (169.254.0.0/16, fe80::/10)`
      ]
    },
    {
      why: "has hosts with domains",
      edits: [
        ["addressType", "FQDN"],
        ["endpoints.0.addresses.0", "web"]
      ],
      errors: [
        `${first}: Invalid value: "web": should be a domain with at least two segments separated by dots`
      ]
    },
    {
      why: "has ports with names of their own",
      edits: [["ports", [{ name: "a" }, { name: "a" }, { name: "B", protocol: "X" }]]],
      errors: [
        'ports[1].name: Duplicate value: "a"',
        `ports[2].name: Invalid value: "B": ${labelRule}`,
        'ports[2].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"'
      ]
    },
    {
      why: "has at most a thousand endpoints",
      edits: [["endpoints", Array.from({ length: 1001 }, () => ({ addresses: ["10.0.0.1"] }))]],
      errors: ["endpoints: Too many: 1001: must have at most 1000 items"]
    }
  ])
  refusesChange(aSlice, [
    {
      why: "keeps what its addresses are",
      edits: [
        ["addressType", "FQDN"],
        ["endpoints.0.addresses.0", "web.example.com"]
      ],
      errors: ['addressType: Invalid value: "FQDN": field is immutable']
    }
  ])
})

describe("a Lease", () => {
  refusesNew(aDraft("Lease", "leader", { spec: { holderIdentity: "a", leaseDurationSeconds: 15 } }), [
    { why: "is valid", edits: [], errors: [] },
    {
      why: "lasts some time, and has no negative count",
      edits: [
        ["spec.leaseDurationSeconds", 0],
        ["spec.leaseTransitions", -1]
      ],
      errors: [
        "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0",
        "spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0"
      ]
    },
    {
      why: "is handed on by a strategy",
      edits: [["spec.preferredHolder", "b"]],
      errors: ["spec.preferredHolder: Forbidden: may only be specified if `strategy` is defined"]
    }
  ])
})

describe("a RuntimeClass", () => {
  const aClass = aDraft("RuntimeClass", "gvisor", { handler: "runsc" })

  refusesNew(aClass, [
    { why: "is valid", edits: [], errors: [] },
    { why: "has a handler", edits: [["handler", ""]], errors: [`handler: Invalid value: "": ${labelRule}`] }
  ])
  refusesChange(aClass, [
    {
      why: "keeps its handler",
      edits: [["handler", "runc"]],
      errors: ['handler: Invalid value: "runc": field is immutable']
    }
  ])
})
