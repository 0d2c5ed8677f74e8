import { expect, it } from "vitest"
import { web } from "./mistakenManifests.ts"
import { planMistake } from "./planMistake.ts"
import type { Mistake } from "./planMistake.ts"

const failing = (why: string): ReadonlyArray<string> => [
  `never completes: CrashLoopBackOff: container "app" fails at once: ${why}`
]
const mounted = (...paths: ReadonlyArray<string>): string =>
  `volumeMounts: [${paths.map((path, index) => `{ name: v${index}, mountPath: ${path} }`).join(", ")}]`
const emptyDirs = "volumes: [{ name: v0, emptyDir: {} }, { name: v1, emptyDir: {} }]"
const withContext = (fields: string): string => `securityContext: { ${fields} }`
const noPassword = "image mysql:8 creates no database without MYSQL_ROOT_PASSWORD or the like"

const withSide = (ports: string): string =>
  `${web({ container: "tty: false" })}        - { name: side, image: "side:1", ports: [${ports}] }\n`

const rows: ReadonlyArray<Mistake> = [
  {
    why: "two containers of a Pod declare one port",
    next: [withSide("{ containerPort: 9090 }, { containerPort: 8080 }")],
    verdict: "risky",
    reasons: ['containers "app" and "side" both declare port 8080/TCP, on which only one can listen']
  },
  {
    why: "two containers of a Pod declare one number with two protocols",
    next: [withSide("{ containerPort: 8080, protocol: UDP }")],
    verdict: "ships"
  },
  {
    why: "the command of a probe is one string with its arguments",
    next: [web({ container: 'readinessProbe: { exec: { command: ["curl -f localhost:8080"] } }' })],
    verdict: "stuck",
    reasons: [
      'never completes: readinessProbe of container "app" has no program "curl -f localhost:8080": each argument is an item of its own in command'
    ]
  },
  {
    why: "a database has no password",
    next: [web({ image: "mysql:8" })],
    verdict: "stuck",
    reasons: failing(noPassword)
  },
  {
    why: "it keeps its data in an emptyDir, which is empty at the start",
    next: [web({ image: "mysql:8", pod: emptyDirs, container: mounted("/var/lib/mysql") })],
    verdict: "stuck",
    reasons: failing(noPassword)
  },
  {
    why: "its volume may have a database already",
    next: [
      web({
        image: "postgres:16",
        replicas: 1,
        pod: "volumes: [{ name: v0, persistentVolumeClaim: { claimName: data } }]",
        container: mounted("/var/lib/postgresql/data")
      })
    ],
    verdict: "ships"
  },
  {
    why: "a file has the password",
    next: [
      web({
        image: "postgres:16",
        container: "env: [{ name: POSTGRES_PASSWORD_FILE, value: /run/password }]"
      })
    ],
    verdict: "ships"
  },
  {
    why: "the password may come from a Secret",
    next: [web({ image: "mariadb:11", container: "envFrom: [{ secretRef: { name: db } }]" })],
    verdict: "ships"
  },
  {
    why: "another program of the image runs",
    next: [web({ image: "mysql:8", container: "command: [mysqlrouter, --config, /etc/router]" })],
    verdict: "ships"
  },
  {
    why: "nginx may not give up root",
    next: [
      web({ image: "nginx:1.27", container: withContext("capabilities: { drop: [ALL], add: [CHOWN] }") })
    ],
    verdict: "stuck",
    reasons: failing(
      "image nginx:1.27 starts as root and needs the capabilities SETGID, SETUID, which it drops"
    )
  },
  {
    why: "nginx has a read-only root, and no place for its cache",
    next: [
      web({
        image: "nginx:1.27",
        pod: emptyDirs,
        container: `${withContext("readOnlyRootFilesystem: true")}, ${mounted("/var/run")}`
      })
    ],
    verdict: "risky",
    reasons: [
      'container "app" may fail at once: image nginx:1.27 cannot write to /var/cache/nginx with readOnlyRootFilesystem: true'
    ]
  },
  {
    why: "nginx is not root",
    next: [web({ image: "nginx:1.27", pod: withContext("runAsUser: 1000") })],
    verdict: "risky",
    reasons: [
      'container "app" may fail at once: image nginx:1.27 cannot write to /var/cache/nginx and /var/run with runAsUser: 1000'
    ]
  },
  {
    why: "nginx has its own places to write to",
    next: [
      web({
        image: "nginx:1.27",
        pod: emptyDirs,
        container: `${withContext("readOnlyRootFilesystem: true")}, ${mounted("/var/cache/nginx", "/var/run")}`
      })
    ],
    verdict: "ships"
  },
  {
    why: "the image is one for other users",
    next: [web({ image: "nginxinc/nginx-unprivileged:1.27", pod: withContext("runAsUser: 1000") })],
    verdict: "ships"
  }
]

it.each(rows)("a workload is $verdict where $why", async (row) => {
  expect(await planMistake(row)).toEqual(row)
})
