import { describe } from "vitest"
import { aDraft, refusesChange, refusesNew } from "../kindErrors.ts"
import { edited, labelRule } from "../../drafts.ts"

const backend = { service: { name: "web", port: { number: 80 } } }
const anIngress = aDraft("Ingress", "web", {
  spec: { rules: [{ host: "example.com", http: { paths: [{ path: "/", pathType: "Prefix", backend }] } }] }
})
const rule = "spec.rules[0]"
const path = "spec.rules.0.http.paths.0"
const ingressPath = `${rule}.http.paths[0]`
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start " +
  "and end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const wildcard =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of " +
  "lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', " +
  "regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

describe("a new Ingress", () => {
  refusesNew(anIngress, [
    { why: "is valid", edits: [], errors: [] },
    {
      why: "has rules or a default backend",
      edits: [["spec.rules", undefined]],
      errors: ["spec: Invalid value: null: either `defaultBackend` or `rules` must be specified"]
    },
    {
      why: "may have a default backend alone",
      edits: [["spec", { defaultBackend: { service: { name: "web", port: { name: "http" } } } }]],
      errors: []
    },
    {
      why: "has a type for each path",
      edits: [[`${path}.pathType`, undefined]],
      errors: [`${ingressPath}.pathType: Required value: pathType must be specified`]
    },
    {
      why: "has a type of paths that exists",
      edits: [[`${path}.pathType`, "Regex"]],
      errors: [
        `${ingressPath}.pathType: Unsupported value: "Regex": supported values: "Exact", "ImplementationSpecific", "Prefix"`
      ]
    },
    {
      why: "has absolute paths",
      edits: [[`${path}.path`, ""]],
      errors: [`${ingressPath}.path: Invalid value: "": must be an absolute path`]
    },
    {
      why: "may have no path where its controller decides",
      edits: [
        [`${path}.path`, ""],
        [`${path}.pathType`, "ImplementationSpecific"]
      ],
      errors: []
    },
    {
      why: "has paths that lead down only",
      edits: [[`${path}.path`, "/a//b/%2F/.."]],
      errors: [
        `${ingressPath}.path: Invalid value: "/a//b/%2F/..": must not contain '//'`,
        `${ingressPath}.path: Invalid value: "/a//b/%2F/..": must not contain '%2F'`,
        `${ingressPath}.path: Invalid value: "/a//b/%2F/..": cannot end with '/..'`
      ]
    },
    {
      why: "has paths below its rules",
      edits: [["spec.rules.0.http.paths", []]],
      errors: [`${rule}.http.paths: Required value`]
    },
    {
      why: "has a backend for each path",
      edits: [[`${path}.backend`, {}]],
      errors: [`${ingressPath}.backend: Invalid value: "": resource or service backend is required`]
    },
    {
      why: "has one backend for each path",
      edits: [[`${path}.backend`, { ...backend, resource: { kind: "Bucket", name: "a" } }]],
      errors: [`${ingressPath}.backend: Invalid value: "": cannot set both resource and service backends`]
    },
    {
      why: "says which Service and which port",
      edits: [[`${path}.backend`, { service: {} }]],
      errors: [
        `${ingressPath}.backend.service.name: Required value`,
        `${ingressPath}.backend: Required value: port name or number is required`
      ]
    },
    {
      why: "has a Service with a name that one can have, and one port",
      edits: [[`${path}.backend`, { service: { name: "Web", port: { name: "http", number: 80 } } }]],
      errors: [
        `${ingressPath}.backend.service.name: Invalid value: "Web": ${labelRule}`,
        `${ingressPath}.backend: Invalid value: "": cannot set both port name & port number`
      ]
    },
    {
      why: "has a port that exists",
      edits: [[`${path}.backend.service.port.number`, 70_000]],
      errors: [
        `${ingressPath}.backend.service.port.number: Invalid value: 70000: must be between 1 and 65535, inclusive`
      ]
    },
    {
      why: "names the kind and the object of another backend",
      edits: [[`${path}.backend`, { resource: { apiGroup: "Example" } }]],
      errors: [
        `${ingressPath}.backend.resource.apiGroup: Invalid value: "Example": ${subdomain}`,
        `${ingressPath}.backend.resource.kind: Required value: kind is required`,
        `${ingressPath}.backend.resource.name: Required value: name is required`
      ]
    },
    {
      why: "has hosts that are names",
      edits: [["spec.rules.0.host", "10.0.0.1"]],
      errors: [`${rule}.host: Invalid value: "10.0.0.1": must be a DNS name, not an IP address`]
    },
    { why: "may have a wildcard in front", edits: [["spec.rules.0.host", "*.example.com"]], errors: [] },
    {
      why: "has a wildcard in front only",
      edits: [
        ["spec.rules.0.host", "a.*.com"],
        ["spec.tls", [{ hosts: ["*", "A"], secretName: "_" }]]
      ],
      errors: [
        `${rule}.host: Invalid value: "a.*.com": ${wildcard}`,
        `spec.tls[0].hosts[0]: Invalid value: "*": ${wildcard}`,
        `spec.tls[0].hosts[1]: Invalid value: "A": ${subdomain}`,
        `spec.tls[0].secretName: Invalid value: "_": ${subdomain}`
      ]
    },
    {
      why: "has one class",
      edits: [
        ["metadata.annotations", { "kubernetes.io/ingress.class": "nginx" }],
        ["spec.ingressClassName", "traefik"]
      ],
      errors: [
        'annotations.kubernetes.io/ingress.class: Invalid value: "nginx": must match `ingressClassName` when both are ' +
          "specified"
      ]
    }
  ])
})

describe("a stored Ingress", () => {
  const old = edited(anIngress, ["spec.tls", [{ secretName: "_" }]], ["spec.rules.0.host", "*.example.com"])
  const wild = edited(old, [`${path}.path`, "relative"])

  refusesChange(old, [
    {
      why: "keeps the name of a Secret that none can have",
      edits: [["metadata.labels", { a: "b" }]],
      errors: []
    }
  ])
  refusesChange(wild, [{ why: "keeps a path of a wildcard host", edits: [["spec.tls", []]], errors: [] }])
  refusesChange(anIngress, [
    {
      why: "may get a class beside its annotation, but no path of a type that does not exist",
      edits: [
        ["metadata.annotations", { "kubernetes.io/ingress.class": "nginx" }],
        ["spec.ingressClassName", "traefik"],
        [`${path}.path`, "relative"]
      ],
      errors: [`${ingressPath}.path: Invalid value: "relative": must be an absolute path`]
    }
  ])
})

describe("an IngressClass", () => {
  const aClass = aDraft("IngressClass", "nginx", { spec: { controller: "example.com/ingress" } })
  const parameters = "spec.parameters"

  refusesNew(aClass, [
    { why: "is valid", edits: [], errors: [] },
    {
      why: "has a controller with a domain and a path",
      edits: [["spec.controller", "Example/a b"]],
      errors: [
        `spec.controller: Invalid value: "Example": ${subdomain}`,
        'spec.controller: Invalid value: "a b": Invalid path (regex used for validation is ' +
          "'[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')"
      ]
    },
    {
      why: "needs a controller",
      edits: [["spec", {}]],
      errors: ["spec.controller: Required value"]
    },
    {
      why: "says where its parameters are",
      edits: [[parameters, { scope: "Namespace" }]],
      errors: [
        `${parameters}.kind: Required value: kind is required`,
        `${parameters}.name: Required value: name is required`,
        `${parameters}.namespace: Required value: \`parameters.scope\` is set to 'Namespace'`
      ]
    },
    {
      why: "has no namespace for parameters of the cluster",
      edits: [[parameters, { kind: "Config", name: "a", scope: "Cluster", namespace: "shop" }]],
      errors: [`${parameters}.namespace: Forbidden: \`parameters.scope\` is set to 'Cluster'`]
    },
    {
      why: "has a scope that exists",
      edits: [[parameters, { kind: "Config", name: "a", scope: "Galaxy" }]],
      errors: [`${parameters}.scope: Unsupported value: "Galaxy": supported values: "Cluster", "Namespace"`]
    }
  ])
  refusesChange(aClass, [
    {
      why: "keeps its controller",
      edits: [["spec.controller", "example.com/other"]],
      errors: ['spec.controller: Invalid value: "example.com/other": field is immutable']
    }
  ])
})
