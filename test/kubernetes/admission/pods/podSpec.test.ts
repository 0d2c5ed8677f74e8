import { describe, expect, it } from "vitest"
import { validateCreate, withDefaults } from "../../../../src/kubernetes/admission/admit.ts"
import {
  aDeployment,
  deployments,
  edited,
  labelRule,
  podErrors,
  errorTexts,
  type ErrorRow
} from "../drafts.ts"

const app = "spec.containers.0"
const field = "spec.containers[0]"
const range = "must be between 1 and 65535, inclusive"

const check = (rows: ReadonlyArray<ErrorRow>): void => {
  it.each(rows)("$why", ({ edits, errors }) => {
    expect(podErrors(edits)).toEqual(errors)
  })
}

describe("volumes and their mounts (TestValidateVolumes, TestValidateVolumeMounts)", () => {
  check([
    {
      why: "accepts a volume without a source",
      edits: [["spec.volumes", [{ name: "v" }]]],
      errors: []
    },
    {
      why: "requires unique labels as volume names",
      edits: [["spec.volumes", [{ name: "v" }, { name: "v" }, { name: "V" }]]],
      errors: [
        'spec.volumes[1].name: Duplicate value: "v"',
        `spec.volumes[2].name: Invalid value: "V": ${labelRule}`
      ]
    },
    {
      why: "forbids two sources of a volume",
      edits: [["spec.volumes", [{ name: "v", emptyDir: {}, hostPath: { path: "/x" } }]]],
      errors: ["spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type"]
    },
    {
      why: "rejects a mount of an unknown volume",
      edits: [[`${app}.volumeMounts`, [{ name: "v", mountPath: "/x" }]]],
      errors: [`${field}.volumeMounts[0].name: Not found: "v"`]
    },
    {
      why: "requires unique mount paths",
      edits: [
        ["spec.volumes", [{ name: "v" }, { name: "w" }]],
        [
          `${app}.volumeMounts`,
          [{ name: "v", mountPath: "/x" }, { name: "w", mountPath: "/x" }, { name: "w" }]
        ]
      ],
      errors: [
        `${field}.volumeMounts[1].mountPath: Invalid value: "/x": must be unique`,
        `${field}.volumeMounts[2].mountPath: Required value`
      ]
    }
  ])
})

describe("probes and hooks (TestValidateProbe, TestValidateHandler)", () => {
  check([
    {
      why: "require a handler",
      edits: [[`${app}.readinessProbe`, {}]],
      errors: [`${field}.readinessProbe: Required value: must specify a handler type`]
    },
    {
      why: "forbid two handlers",
      edits: [[`${app}.readinessProbe`, { httpGet: { port: 80 }, tcpSocket: { port: 80 } }]],
      errors: [`${field}.readinessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type`]
    },
    {
      why: "allow only one success in liveness and startup probes",
      edits: [
        [`${app}.livenessProbe`, { exec: { command: ["x"] }, successThreshold: 2 }],
        [`${app}.startupProbe`, { exec: { command: [] }, successThreshold: 3 }],
        [`${app}.readinessProbe`, { exec: { command: ["x"] }, successThreshold: 4 }]
      ],
      errors: [
        `${field}.livenessProbe.successThreshold: Invalid value: 2: must be 1`,
        `${field}.startupProbe.exec.command: Required value`,
        `${field}.startupProbe.successThreshold: Invalid value: 3: must be 1`
      ]
    },
    {
      why: "reject negative counts",
      edits: [[`${app}.readinessProbe`, { tcpSocket: { port: "http" }, periodSeconds: -3 }]],
      errors: [`${field}.readinessProbe.periodSeconds: Invalid value: -3: must be greater than or equal to 0`]
    },
    {
      why: "reject headers that HTTP does not know",
      edits: [
        [
          `${app}.readinessProbe`,
          { httpGet: { port: 80, httpHeaders: [{ name: "X Y", value: "1" }, { value: "2" }] } }
        ]
      ],
      errors: ["X Y", ""].map(
        (name) =>
          `${field}.readinessProbe.httpGet.httpHeaders: Invalid value: "${name}": a valid HTTP header must consist of ` +
          "alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')"
      )
    },
    {
      why: "require a handler with a valid port in hooks",
      edits: [[`${app}.lifecycle`, { preStop: {}, postStart: { httpGet: { port: 0, scheme: "FTP" } } }]],
      errors: [
        `${field}.lifecycle.postStart.httpGet.port: Invalid value: 0: ${range}`,
        `${field}.lifecycle.postStart.httpGet.scheme: Unsupported value: "FTP": supported values: ` +
          `"HTTP", "HTTPS"`,
        `${field}.lifecycle.preStop: Required value: must specify a handler type`
      ]
    }
  ])
})

describe("resources (TestValidateResourceRequirements)", () => {
  check([
    {
      why: "limit a request by its limit",
      edits: [[`${app}.resources`, { limits: { cpu: "1" }, requests: { cpu: "2000m" } }]],
      errors: [
        `${field}.resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1`
      ]
    },
    {
      why: "reject negative quantities",
      edits: [[`${app}.resources`, { limits: { memory: "-1Mi" } }]],
      errors: [
        `${field}.resources.limits[memory]: Invalid value: "-1Mi": must be greater than or equal to 0`,
        `${field}.resources.requests[memory]: Invalid value: "-1Mi": must be greater than or equal to 0`
      ]
    },
    {
      why: "require whole devices with limits",
      edits: [[`${app}.resources`, { requests: { "example.com/gpu": "1500m" } }]],
      errors: [
        `${field}.resources.requests[example.com/gpu]: Invalid value: "1500m": must be an integer`,
        `${field}.resources.limits: Required value: Limit must be set for non overcommitable resources`
      ]
    },
    {
      why: "require whole huge pages",
      edits: [[`${app}.resources`, { limits: { cpu: "1", "hugepages-2Mi": "2.1Mi" } }]],
      errors: ["limits", "requests"].map(
        (list) =>
          `${field}.resources.${list}[hugepages-2Mi]: Invalid value: "2202010": ` +
          "2202010 is not positive integer multiple of hugepages-2Mi"
      )
    },
    {
      why: "accept several whole huge pages",
      edits: [[`${app}.resources`, { limits: { cpu: "1", "hugepages-2Mi": "6Mi" } }]],
      errors: []
    },
    {
      why: "require cpu or memory beside huge pages",
      edits: [[`${app}.resources`, { limits: { "hugepages-2Mi": "4Mi" } }]],
      errors: [`${field}.resources: Forbidden: HugePages require cpu or memory`]
    },
    {
      why: "reject unqualified names that are not Kubernetes' own",
      edits: [[`${app}.resources`, { limits: { gpu: "1" }, requests: { gpu: "1" } }]],
      errors: ["limits", "requests"].flatMap((list) => [
        `${field}.resources.${list}[gpu]: Invalid value: "gpu": must be a standard resource type or ` +
          `fully qualified`,
        `${field}.resources.${list}[gpu]: Invalid value: "gpu": must be a standard resource for containers`
      ])
    }
  ])
})

describe("other fields of a Pod (TestValidatePodSpec, TestValidateTolerations)", () => {
  check([
    {
      why: "reject an unknown restart policy",
      edits: [["spec.restartPolicy", "Sometimes"]],
      errors: [
        'spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"'
      ]
    },
    {
      why: "reject an unknown DNS policy",
      edits: [["spec.dnsPolicy", "Mine"]],
      errors: [
        'spec.dnsPolicy: Unsupported value: "Mine": supported values: "ClusterFirstWithHostNet", ' +
          '"ClusterFirst", "Default", "None"'
      ]
    },
    {
      why: "reject a deadline of 0",
      edits: [["spec.activeDeadlineSeconds", 0]],
      errors: ["spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive"]
    },
    {
      why: "reject dots in the host name",
      edits: [["spec.hostname", "a.b"]],
      errors: ['spec.hostname: Invalid value: "a.b": must not contain dots']
    },
    {
      why: "require the operator Exists for a toleration without a key",
      edits: [["spec.tolerations", [{ effect: "NoSchedule", tolerationSeconds: 5 }]]],
      errors: [
        'spec.tolerations[0].operator: Invalid value: "": operator must be Exists when `key` is empty, ' +
          'which means "match all values and all keys"',
        'spec.tolerations[0].effect: Invalid value: "NoSchedule": ' +
          "effect must be 'NoExecute' when `tolerationSeconds` is set"
      ]
    }
  ])
})

describe("the template of a Deployment", () => {
  it("is validated like a Pod, with the path inside the Deployment", () => {
    const deployment = edited(aDeployment(), [
      "spec.template.spec.containers.0.ports",
      [{ containerPort: 70_001 }]
    ])
    expect(errorTexts(validateCreate(deployments, withDefaults(deployments, deployment)))).toEqual([
      `spec.template.spec.containers[0].ports[0].containerPort: Invalid value: 70001: ${range}`
    ])
  })
})
