import { describe } from "vitest"
import { aDraft, refusesChange, refusesNew } from "../kindErrors.ts"
import { edited } from "../../drafts.ts"

const aRule = { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] }
const service = { name: "hook", namespace: "shop" }
const aConfiguration = aDraft("ValidatingWebhookConfiguration", "hooks", {
  webhooks: [
    {
      name: "pods.example.com",
      rules: [aRule],
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
      clientConfig: { service }
    }
  ]
})
const hook = "webhooks.0"
const webhookPath = "webhooks[0]"
const url = (text: string) => [[`${hook}.clientConfig`, { url: text }]] as const
const form = "; desired format: https://host[/path]"

describe("a new webhook configuration", () => {
  refusesNew(aConfiguration, [
    { why: "is valid", edits: [], errors: [] },
    { why: "may have a URL", edits: url("https://example.com:8443/check"), errors: [] },
    {
      why: "has hooks with full names",
      edits: [[`${hook}.name`, "pods"]],
      errors: [
        `${webhookPath}.name: Invalid value: "pods": should be a domain with at least three segments separated by dots`
      ]
    },
    {
      why: "says what its hooks do beside answering, and which reviews they understand",
      edits: [
        [`${hook}.sideEffects`, undefined],
        [`${hook}.admissionReviewVersions`, []]
      ],
      errors: [
        `${webhookPath}.sideEffects: Required value: must specify one of None, NoneOnDryRun`,
        `${webhookPath}.admissionReviewVersions: Required value: must specify one of v1, v1beta1`
      ]
    },
    {
      why: "has hooks without side effects that understand a known review",
      edits: [
        [`${hook}.sideEffects`, "Some"],
        [`${hook}.admissionReviewVersions`, ["v2", "v2"]]
      ],
      errors: [
        `${webhookPath}.sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"`,
        `${webhookPath}.admissionReviewVersions[1]: Invalid value: "v2": duplicate version`,
        `${webhookPath}.admissionReviewVersions: Invalid value: ["v2","v2"]: must include at least one of v1, v1beta1`
      ]
    },
    {
      why: "has policies and times that exist",
      edits: [
        [`${hook}.failurePolicy`, "Shrug"],
        [`${hook}.matchPolicy`, "Roughly"],
        [`${hook}.timeoutSeconds`, 31]
      ],
      errors: [
        `${webhookPath}.failurePolicy: Unsupported value: "Shrug": supported values: "Fail", "Ignore"`,
        `${webhookPath}.matchPolicy: Unsupported value: "Roughly": supported values: "Equivalent", "Exact"`,
        `${webhookPath}.timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds`
      ]
    },
    {
      why: "says whom to call",
      edits: [[`${hook}.clientConfig`, {}]],
      errors: [`${webhookPath}.clientConfig: Required value: exactly one of url or service is required`]
    },
    {
      why: "calls by https alone",
      edits: url("http://me@example.com/a?b=c#d"),
      errors: [
        `${webhookPath}.clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme${form}`,
        `${webhookPath}.clientConfig.url: Invalid value: "me": user information is not permitted in the URL`,
        `${webhookPath}.clientConfig.url: Invalid value: "d": fragments are not permitted in the URL`,
        `${webhookPath}.clientConfig.url: Invalid value: "b=c": query parameters are not permitted in the URL`
      ]
    },
    {
      why: "calls a host",
      edits: url("https:///a"),
      errors: [`${webhookPath}.clientConfig.url: Invalid value: "": host must be specified${form}`]
    },
    {
      why: "calls a Service by its name, which upstream tells of the namespace",
      edits: [[`${hook}.clientConfig.service`, { namespace: "shop", port: 0, path: "/a//B" }]],
      errors: [
        `${webhookPath}.clientConfig.service.namespace: Required value`,
        `${webhookPath}.clientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive`,
        `${webhookPath}.clientConfig.service.path: Invalid value: "/a//B": segment[1] may not be empty`,
        `${webhookPath}.clientConfig.service.path: Invalid value: "/a//B": segment[2]: a lowercase RFC 1123 subdomain must ` +
          "consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric " +
          "character (e.g. 'example.com', regex used for validation is " +
          "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
      ]
    },
    {
      why: "has rules about something",
      edits: [[`${hook}.rules`, [{}]]],
      errors: ["operations", "apiGroups", "apiVersions", "resources"].map(
        (field) => `${webhookPath}.rules[0].${field}: Required value`
      )
    },
    {
      why: "has rules about all or about some",
      edits: [
        [
          `${hook}.rules.0`,
          {
            operations: ["*", "READ"],
            apiGroups: ["*", "apps"],
            apiVersions: ["*", ""],
            resources: ["*", "pods", "pods/*", "pods/log"],
            scope: "Galaxy"
          }
        ]
      ],
      errors: [
        `operations: Invalid value: ["*","READ"]: if '*' is present, must not specify other operations`,
        'operations[1]: Unsupported value: "READ": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
        `apiGroups: Invalid value: ["*","apps"]: if '*' is present, must not specify other API groups`,
        `apiVersions: Invalid value: ["*",""]: if '*' is present, must not specify other API versions`,
        "apiVersions[1]: Required value",
        `resources[3]: Invalid value: "pods/log": if 'pods/*' is present, must not specify pods/log`,
        `resources: Invalid value: ["*","pods","pods/*","pods/log"]: if '*' is present, must not specify other ` +
          "resources without subresources",
        'scope: Unsupported value: "Galaxy": supported values: "*", "Cluster", "Namespaced"'
      ].map((error) => `${webhookPath}.rules[0].${error}`)
    },
    {
      why: "has conditions with names of their own",
      edits: [[`${hook}.matchConditions`, [{ name: "a", expression: "true" }, { name: "a" }]]],
      errors: [
        `${webhookPath}.matchConditions[1].expression: Required value`,
        `${webhookPath}.matchConditions[1].name: Duplicate value: "a"`
      ]
    },
    {
      why: "has hooks with names of their own",
      edits: [
        ["webhooks.1", (aConfiguration as { readonly webhooks?: ReadonlyArray<object> }).webhooks?.[0]]
      ],
      errors: ['webhooks[1].name: Duplicate value: "pods.example.com"']
    }
  ])
})

describe("a stored webhook configuration", () => {
  refusesChange(edited(aConfiguration, [`${hook}.sideEffects`, "Unknown"]), [
    { why: "keeps side effects that it had", edits: [[`${hook}.timeoutSeconds`, 5]], errors: [] }
  ])
  refusesChange(aConfiguration, [
    {
      why: "gets no side effects",
      edits: [[`${hook}.sideEffects`, "Unknown"]],
      errors: [
        `${webhookPath}.sideEffects: Unsupported value: "Unknown": supported values: "None", "NoneOnDryRun"`
      ]
    }
  ])
})

const aPolicy = aDraft("ValidatingAdmissionPolicy", "small", {
  spec: { matchConstraints: { resourceRules: [aRule] }, validations: [{ expression: "true" }] }
})

describe("a ValidatingAdmissionPolicy", () => {
  refusesNew(aPolicy, [
    { why: "is valid", edits: [], errors: [] },
    {
      why: "says what it is about and what must hold",
      edits: [["spec", {}]],
      errors: [
        "spec.matchConstraints: Required value",
        "spec.validations: Required value: validations or auditAnnotations must contain at least one item",
        "spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item"
      ]
    },
    {
      why: "has expressions, messages of one line and reasons that exist",
      edits: [
        ["spec.matchConstraints.resourceRules", []],
        ["spec.validations", [{ expression: " ", message: "a\nb", messageExpression: " ", reason: "Bored" }]],
        ["spec.variables", [{ name: "in" }]],
        ["spec.paramKind", { apiVersion: "a/b/c", kind: "1" }],
        ["spec.failurePolicy", "Retry"]
      ],
      errors: [
        'spec.failurePolicy: Unsupported value: "Retry": supported values: "Fail", "Ignore"',
        'spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
        'spec.paramKind.kind: Invalid value: "1": may have mixed case, but should otherwise match: a DNS-1035 label ' +
          "must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end " +
          "with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is " +
          "'[a-z]([-a-z0-9]*[a-z0-9])?')",
        "spec.matchConstraints.resourceRules: Required value",
        'spec.variables[0].name: Invalid value: "in": must be a valid CEL identifier',
        "spec.variables[0].expression: Required value: expression is not specified",
        "spec.validations[0].expression: Required value: expression is not specified",
        'spec.validations[0].messageExpression: Invalid value: " ": must be non-empty if specified',
        'spec.validations[0].message: Invalid value: "a\\nb": must not contain line breaks',
        'spec.validations[0].reason: Unsupported value: "Bored": supported values: "Forbidden", "Invalid", ' +
          '"RequestEntityTooLarge"'
      ]
    },
    {
      why: "annotates the audit log by distinct keys with an expression each",
      edits: [
        [
          "spec.auditAnnotations",
          [
            { key: "size", valueExpression: "'big'" },
            { key: "size", valueExpression: "x".repeat(5 * 1024 + 1) },
            { key: "a b" }
          ]
        ]
      ],
      errors: [
        "spec.auditAnnotations[1].valueExpression: Required value: must not exceed 5120 bytes in length",
        'spec.auditAnnotations[1].key: Duplicate value: "size"',
        'spec.auditAnnotations[2].key: Invalid value: "small/a b": name part must consist of alphanumeric characters, ' +
          "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or " +
          "'123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        "spec.auditAnnotations[2].valueExpression: Required value: valueExpression is not specified"
      ]
    },
    {
      why: "has at most 20 annotations for the audit log",
      edits: [
        [
          "spec.auditAnnotations",
          Array.from({ length: 21 }, (_, index) => ({ key: `key${index}`, valueExpression: "'x'" }))
        ]
      ],
      errors: ["spec.auditAnnotations: Invalid value: must not have more than 20 auditAnnotations"]
    }
  ])
})

describe("a ValidatingAdmissionPolicyBinding", () => {
  const aBinding = aDraft("ValidatingAdmissionPolicyBinding", "small", {
    spec: { policyName: "small", validationActions: ["Deny"] }
  })

  refusesNew(aBinding, [
    { why: "is valid", edits: [], errors: [] },
    {
      why: "says which policy and what it does",
      edits: [["spec", { paramRef: {} }]],
      errors: [
        "spec.policyName: Required value",
        "spec.paramRef: Required value: one of name or selector must be specified",
        "spec.paramRef.parameterNotFoundAction: Required value",
        "spec.validationActions: Required value: at least one validation action is required"
      ]
    },
    {
      why: "does not say the same twice",
      edits: [["spec.validationActions", ["Deny", "Warn", "Deny", "Cry"]]],
      errors: [
        'spec.validationActions[2]: Duplicate value: "Deny"',
        'spec.validationActions[3]: Unsupported value: "Cry": supported values: "Audit", "Deny", "Warn"',
        'spec.validationActions: Invalid value: ["Deny","Warn","Deny","Cry"]: must not contain both Deny and Warn ' +
          "(repeating the same validation failure information in the API response and headers serves no purpose)"
      ]
    }
  ])
})

describe("a MutatingAdmissionPolicy", () => {
  const aMutation = { patchType: "JSONPatch", jsonPatch: { expression: "[]" } }
  const aMutatingPolicy = aDraft("MutatingAdmissionPolicy", "small", {
    spec: {
      matchConstraints: { resourceRules: [aRule] },
      mutations: [aMutation],
      reinvocationPolicy: "Never"
    }
  })

  refusesNew(aMutatingPolicy, [
    { why: "is valid", edits: [], errors: [] },
    {
      why: "changes something, and nothing that is deleted",
      edits: [
        ["spec.mutations", []],
        ["spec.reinvocationPolicy", ""],
        ["spec.matchConstraints.resourceRules.0.operations", ["DELETE"]]
      ],
      errors: [
        'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", ' +
          '"CONNECT", "CREATE", "UPDATE"',
        "spec.mutations: Required value: mutations must contain at least one item",
        "spec.reinvocationPolicy: Required value"
      ]
    },
    {
      why: "changes by patches of the type that it says",
      edits: [
        [
          "spec.mutations",
          [
            { ...aMutation, patchType: "ApplyConfiguration" },
            { patchType: "Merge" },
            {},
            { patchType: "JSONPatch", jsonPatch: {} }
          ]
        ]
      ],
      errors: [
        "spec.mutations[0].applyConfiguration: Required value: must be specified when patchType is ApplyConfiguration",
        'spec.mutations[0].jsonPatch: Invalid value: "{jsonPatch}": must not be specified when patchType is ' +
          "ApplyConfiguration",
        'spec.mutations[1].patchType: Unsupported value: "Merge": supported values: "ApplyConfiguration", "JSONPatch"',
        "spec.mutations[2].patchType: Required value",
        "spec.mutations[3].jsonPatch.expression: Required value"
      ]
    }
  ])
})
