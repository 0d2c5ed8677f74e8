import { describe, expect, it } from "vitest"
import { podErrors, type ErrorRow } from "../drafts.ts"

const app = "spec.containers.0"
const field = "spec.containers[0]"
const ids = "must be between 0 and 2147483647, inclusive"
const ipRule = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"

const check = (rows: ReadonlyArray<ErrorRow>): void => {
  it.each(rows)("$why", ({ edits, errors }) => {
    expect(podErrors(edits)).toEqual(errors)
  })
}

describe("security contexts (TestValidateSecurityContext, TestValidatePodSpec)", () => {
  check([
    {
      why: "accept what restricted namespaces ask for",
      edits: [
        [
          "spec.securityContext",
          { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: "RuntimeDefault" } }
        ],
        [`${app}.securityContext`, { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } }]
      ],
      errors: []
    },
    {
      why: "reject a privileged container that may gain no privileges",
      edits: [[`${app}.securityContext`, { privileged: true, allowPrivilegeEscalation: false }]],
      errors: [
        `${field}.securityContext: Invalid value: {"Capabilities":null,"Privileged":true,"SELinuxOptions":null,` +
          '"WindowsOptions":null,"RunAsUser":null,"RunAsGroup":null,"RunAsNonRoot":null,' +
          '"ReadOnlyRootFilesystem":null,"AllowPrivilegeEscalation":false,"ProcMount":null,"SeccompProfile":null,' +
          '"AppArmorProfile":null}: cannot set `allowPrivilegeEscalation` to false and `privileged` to true'
      ]
    },
    {
      why: "reject users and groups below 0",
      edits: [
        ["spec.securityContext", { runAsUser: -1, fsGroup: -2, supplementalGroups: [1, -3] }],
        [`${app}.securityContext`, { runAsGroup: -4 }]
      ],
      errors: [
        `${field}.securityContext.runAsGroup: Invalid value: -4: ${ids}`,
        `spec.securityContext.fsGroup: Invalid value: -2: ${ids}`,
        `spec.securityContext.runAsUser: Invalid value: -1: ${ids}`,
        `spec.securityContext.supplementalGroups[1]: Invalid value: -3: ${ids}`
      ]
    },
    {
      why: "reject an unknown seccomp profile, and a local one without its file",
      edits: [
        ["spec.securityContext", { seccompProfile: { type: "runtime/default" } }],
        [`${app}.securityContext`, { seccompProfile: { type: "Localhost" } }]
      ],
      errors: [
        `${field}.securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost`,
        'spec.securityContext.seccompProfile.type: Unsupported value: "runtime/default": supported values: ' +
          '"Localhost", "RuntimeDefault", "Unconfined"'
      ]
    },
    {
      why: "name each sysctl once",
      edits: [
        [
          "spec.securityContext.sysctls",
          ["net/ipv4/ip_forward", "net/ipv4/ip_forward", "Kernel.sem", ""].map((name) => ({
            name,
            value: "1"
          }))
        ]
      ],
      errors: [
        'spec.securityContext.sysctls[1].name: Duplicate value: "net/ipv4/ip_forward"',
        'spec.securityContext.sysctls[2].name: Invalid value: "Kernel.sem": must have at most 253 characters and ' +
          "match regex ([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?",
        "spec.securityContext.sysctls[3].name: Required value"
      ]
    },
    {
      why: "reject sysctls of the node's own network and memory",
      edits: [
        ["spec.hostNetwork", true],
        ["spec.hostIPC", true],
        [
          "spec.securityContext.sysctls",
          ["net.ipv4.ip_unprivileged_port_start", "kernel.shmmax", "fs.mqueue.msg_max", "vm.swappiness"].map(
            (name) => ({ name, value: "1" })
          )
        ]
      ],
      errors: [
        'spec.securityContext.sysctls[0].name: Invalid value: "net.ipv4.ip_unprivileged_port_start": ' +
          "may not be specified when 'hostNetwork' is true",
        "spec.securityContext.sysctls[1].name: Invalid value: \"kernel.shmmax\": may not be specified when 'hostIPC' is true",
        "spec.securityContext.sysctls[2].name: Invalid value: \"fs.mqueue.msg_max\": may not be specified when 'hostIPC' is true"
      ]
    },
    {
      why: "reject one process namespace for the Pod and another for its node",
      edits: [
        ["spec.shareProcessNamespace", true],
        ["spec.hostPID", true]
      ],
      errors: [
        "spec.securityContext.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled"
      ]
    }
  ])
})

describe("names of hosts and conditions (TestValidatePodDNSConfig, TestValidateHostAliases)", () => {
  check([
    {
      why: "require name servers where the cluster's are not asked",
      edits: [["spec.dnsPolicy", "None"]],
      errors: ["spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None"]
    },
    {
      why: "require at least one of them",
      edits: [
        ["spec.dnsPolicy", "None"],
        ["spec.dnsConfig", { searches: ["example.com"] }]
      ],
      errors: [
        "spec.dnsConfig.nameservers: Required value: must provide at least one DNS nameserver when `dnsPolicy` is None"
      ]
    },
    {
      why: "require addresses of name servers and host aliases, and a name for each option",
      edits: [
        ["spec.dnsConfig", { nameservers: ["ns.example.com"], options: [{ value: "2" }] }],
        ["spec.hostAliases", [{ ip: "db.local", hostnames: ["db"] }]]
      ],
      errors: [
        `spec.dnsConfig.nameservers[0]: Invalid value: "ns.example.com": ${ipRule}`,
        "spec.dnsConfig.options[0]: Required value: must not be empty",
        `spec.hostAliases[0].ip: Invalid value: "db.local": ${ipRule}`
      ]
    },
    {
      why: "accept search domains with underscores, final dots, and the root",
      edits: [["spec.dnsConfig", { searches: [".", "_tcp.example.com.", "My.example.com"] }]],
      errors: [
        'spec.dnsConfig.searches[2]: Invalid value: "My.example.com": a lowercase RFC 1123 subdomain must consist of ' +
          "lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character " +
          "(e.g. 'example.com', regex used for validation is " +
          "'_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')"
      ]
    },
    {
      why: "require the name of a condition for a readiness gate",
      edits: [
        ["spec.readinessGates", [{ conditionType: "example.com/healthy" }, { conditionType: "not healthy" }]]
      ],
      errors: [
        'spec.readinessGates[1].conditionType: Invalid value: "not healthy": name part must consist of alphanumeric ' +
          "characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or " +
          "'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
      ]
    }
  ])
})
