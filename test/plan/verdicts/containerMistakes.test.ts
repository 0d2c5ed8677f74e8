import { describe, expect, it } from "vitest"

import {
  envFromSettings,
  httpProbe,
  mountOf,
  objectText,
  service,
  settings,
  web
} from "./mistakenManifests.ts"
import { planMistake } from "./planMistake.ts"
import type { Mistake } from "./planMistake.ts"

const preStop = "lifecycle: { preStop: { sleep: { seconds: 3 } } }"
const probed = `${preStop}, ${httpProbe("readinessProbe", "http")}`

/** An update of an application behind a Service. */
const served = (container: string, pod?: string): Pick<Mistake, "from" | "next"> => {
  const shape = { replicas: 3, container, ...(pod === undefined ? {} : { pod }) }
  return { from: [web({ ...shape, image: "app:1" }), service("http")], next: [web(shape), service("http")] }
}

const sysctl = (name: string): string => `securityContext: { sysctls: [{ name: ${name}, value: "1" }] }`

const rows: ReadonlyArray<Mistake> = [
  {
    why: "no readiness probe waits until the application answers",
    ...served(preStop),
    verdict: "risky",
    reasons: ["19.9% of requests are lost"]
  },
  {
    why: "a readiness probe waits until the application answers",
    ...served(probed),
    verdict: "ships"
  },
  {
    why: "the application answers before clients know its Pod",
    ...served(preStop),
    options: { assume: "ready=500ms" },
    verdict: "ships"
  },
  {
    why: "only a sidecar, which gets no requests, has no readiness probe",
    ...served(probed, 'initContainers: [{ name: proxy, image: "proxy:1", restartPolicy: Always }]'),
    verdict: "ships"
  },
  {
    why: "the Pods set a sysctl that kubelets refuse by default",
    next: [web({ pod: sysctl("net.core.somaxconn") })],
    verdict: "unknown",
    reasons: ["a kubelet refuses its Pods, unless its allowedUnsafeSysctls have net.core.somaxconn"]
  },
  {
    why: "the Pods that run set that sysctl",
    from: [web({ image: "app:1", pod: sysctl("net.core.somaxconn") })],
    next: [web({ pod: sysctl("net.core.somaxconn") })],
    verdict: "ships"
  },
  { why: "the sysctl is safe", next: [web({ pod: sysctl("net/ipv4/tcp_syncookies") })], verdict: "ships" },
  {
    why: "a container's command ends at once",
    next: [web({ container: "command: [echo, hello]" })],
    verdict: "stuck",
    reasons: ['never completes: CrashLoopBackOff: container "app" ends at once: it runs "echo hello"']
  },
  {
    why: "a container's script ends at once",
    next: [web({ container: `command: [/bin/sh, -c], args: ["echo 'not; yet' && date; exit 1"]` })],
    verdict: "stuck",
    reasons: [
      `never completes: CrashLoopBackOff: container "app" ends at once: it runs "echo 'not; yet' && date; exit 1"`
    ]
  },
  {
    why: "a container's script goes on after a brief command",
    next: [web({ container: 'command: [sh, -c, "echo hello; exec serve"]' })],
    verdict: "ships"
  },
  {
    why: "env starts the program",
    next: [web({ container: 'command: [sh, -c, "echo hello; env MODE=fast serve"]' })],
    verdict: "ships"
  },
  {
    why: "a container's arguments are for a program of its image",
    next: [web({ container: "args: [echo, hello]" })],
    verdict: "ships"
  },
  {
    why: "an image that has only a shell is given no command",
    next: [web({ image: "busybox:1.36" })],
    verdict: "stuck",
    reasons: [
      'never completes: CrashLoopBackOff: container "app" ends at once: image busybox:1.36 has nothing but a shell, and no command is given'
    ]
  },
  {
    why: "the command is a shell without a script",
    next: [web({ container: "command: [/bin/bash]" })],
    verdict: "stuck",
    reasons: [
      'never completes: CrashLoopBackOff: container "app" ends at once: it runs "/bin/bash", and no terminal gives it commands'
    ]
  },
  {
    why: "the command is a shell whose input is open",
    next: [web({ container: "command: [bash], stdin: true" })],
    verdict: "ships"
  },
  {
    why: "the command is a shell with a file",
    next: [web({ container: "command: [bash, /start]" })],
    verdict: "ships"
  },
  {
    why: "an image that has only a shell gets a terminal",
    next: [web({ image: "docker.io/library/alpine", container: "tty: true" })],
    verdict: "ships"
  },
  {
    why: "nothing in the files opens the scheduling gate",
    next: [web({ pod: "schedulingGates: [{ name: example.com/quota }]" })],
    verdict: "unknown",
    reasons: ["a controller that is not played lets its Pods be scheduled: example.com/quota"]
  },
  {
    why: "a key is missing, which no controller of a readiness gate changes",
    next: [
      settings,
      web({
        container: envFromSettings("colour"),
        pod: "readinessGates: [{ conditionType: example.com/in-service }]"
      })
    ],
    options: { acceptUnknown: ["ReadinessGate"] },
    verdict: "stuck"
  },
  {
    why: "an init container never ends",
    next: [
      web({
        pod: 'initContainers: [{ name: wait, image: "busybox:1", command: [sh, -c, "echo waiting; sleep infinity"] }]'
      })
    ],
    verdict: "stuck",
    reasons: ['never completes: init container "wait" never ends: it runs "sleep infinity"']
  },
  {
    why: "the startup probe of a sidecar asks a port by a name that it does not declare",
    next: [
      web({
        pod: `initContainers: [{ name: proxy, image: "envoy:1", restartPolicy: Always, ${httpProbe("startupProbe", "admin")} }]`
      })
    ],
    verdict: "stuck",
    reasons: [
      'never completes: startupProbe of container "proxy" asks port "admin", which it does not declare'
    ]
  },
  {
    why: "an init container needs a key that the Secret lacks",
    next: [
      web({
        pod: 'initContainers: [{ name: migrate, image: "app:2", env: [{ name: DSN, valueFrom: { secretKeyRef: { name: db, key: dsn } } }] }]'
      }),
      objectText("v1", "Secret", "db", "stringData: { url: postgres }")
    ],
    verdict: "stuck",
    reasons: ["never completes: CreateContainerConfigError: couldn't find key dsn in Secret default/db"]
  },
  {
    why: "the memory limit has m, which is a thousandth of a byte, for Mi",
    next: [web({ container: "resources: { limits: { memory: 128m } }" })],
    verdict: "stuck",
    reasons: [
      'never completes: RunContainerError: container "app" has a memory limit of 128m, which is less than 1Mi: no process can run in it'
    ]
  },
  {
    why: "a sidecar runs as long as its Pod",
    next: [
      web({
        pod: 'initContainers: [{ name: proxy, image: "busybox:1", restartPolicy: Always, command: [tail, -f, /dev/null] }]'
      })
    ],
    verdict: "ships"
  },
  {
    why: "the ConfigMap lacks a key that the container needs",
    next: [settings, web({ container: envFromSettings("colour") })],
    verdict: "stuck",
    reasons: [
      "never completes: CreateContainerConfigError: couldn't find key colour in ConfigMap default/settings"
    ]
  },
  {
    why: "the ConfigMap has the key",
    next: [settings, web({ container: envFromSettings("level") })],
    verdict: "ships"
  },
  {
    why: "a volume asks for a key that the ConfigMap lacks",
    next: [
      settings,
      web(mountOf("configMap: { name: settings, items: [{ key: app.conf, path: app.conf }] }"))
    ],
    verdict: "stuck",
    reasons: [
      'never completes: FailedMount: MountVolume.SetUp failed for volume "files" : configmap references non-existent config key: app.conf'
    ]
  },
  {
    why: "a projected volume asks for a key that the Secret lacks",
    next: [
      objectText("v1", "Secret", "db", "stringData: { url: postgres }"),
      web(mountOf("projected: { sources: [{ secret: { name: db, items: [{ key: dsn, path: dsn }] } }] }"))
    ],
    verdict: "stuck",
    reasons: [
      'never completes: FailedMount: MountVolume.SetUp failed for volume "files" : references non-existent secret key: dsn'
    ]
  },
  {
    why: "the ConfigMap has no key at all: a controller fills it",
    next: [
      objectText("v1", "ConfigMap", "authorities", "data: {}"),
      web(mountOf("configMap: { name: authorities, items: [{ key: ca.crt, path: ca.crt }] }"))
    ],
    verdict: "ships"
  },
  {
    why: "the key is optional, or no container mounts its volume",
    next: [
      settings,
      web({
        pod:
          "volumes: [{ name: unused, configMap: { name: settings, items: [{ key: app.conf, path: app.conf }] } }, " +
          "{ name: files, configMap: { name: settings, optional: true, items: [{ key: app.conf, path: app.conf }] } }]",
        container: mountOf("").container ?? ""
      })
    ],
    verdict: "ships"
  },
  {
    why: "the container must not run as root, and does",
    next: [web({ pod: "securityContext: { runAsNonRoot: true, runAsUser: 0 }" })],
    verdict: "stuck"
  },
  {
    why: "the container must not run as root, and its image does",
    next: [web({ image: "nginx:1.25", pod: "securityContext: { runAsNonRoot: true }" })],
    verdict: "stuck",
    reasons: [
      'never completes: CreateContainerConfigError: container "app" has runAsNonRoot: true, and image nginx:1.25 runs as root: it needs runAsUser'
    ]
  },
  {
    why: "the container runs an image of root as another user",
    next: [web({ image: "registry:2", pod: "securityContext: { runAsNonRoot: true, runAsUser: 101 }" })],
    verdict: "ships"
  },
  {
    why: "the container must not run as root, and has an image of its own",
    next: [web({ image: "shop/nginx:1", pod: "securityContext: { runAsNonRoot: true }" })],
    verdict: "ships"
  },
  {
    why: "the command is one string with its arguments",
    next: [web({ container: 'command: ["serve --port 8080"]' })],
    verdict: "stuck",
    reasons: [
      'never completes: RunContainerError: container "app" has no program "serve --port 8080": each argument is an item of its own in command'
    ]
  },
  {
    why: "an init container fails",
    next: [
      web({
        pod: 'initContainers: [{ name: check, image: "busybox:1", command: [sh, -c, "echo no; sleep 1; exit 3"] }]'
      })
    ],
    verdict: "stuck",
    reasons: [
      'never completes: init container "check" fails with exit code 3: it runs "echo no; sleep 1; exit 3"',
      'CrashLoopBackOff: container "check" ended with exit code 3 (Error)'
    ]
  },
  {
    why: "an init container would fail, but something before decides",
    next: [
      web({
        pod: 'initContainers: [{ name: check, image: "busybox:1", command: [sh, -c, "check || exit 3"] }]'
      })
    ],
    verdict: "ships"
  }
]

describe("a plan of a container that cannot run", () => {
  it.for(rows)("is $verdict where $why", async (row) => {
    expect(await planMistake(row)).toEqual(row)
  })
})
