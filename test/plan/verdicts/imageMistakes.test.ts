import { expect, it } from "vitest"
import { claim, objectText, web } from "./mistakenManifests.ts"
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

const noPostgresPassword = "image postgres:16 creates no database without POSTGRES_PASSWORD or the like"
const postgresData = "/var/lib/postgresql/data"
const postgresOf = (claimName: string, pod = "dnsPolicy: Default"): string =>
  web({
    image: "postgres:16",
    replicas: 1,
    pod: `volumes: [{ name: v0, persistentVolumeClaim: { claimName: ${claimName} } }]\n      ${pod}`,
    container: mounted(postgresData)
  })
const postgresWithSecret = (key: string): string =>
  web({
    image: "postgres:16",
    container: `env: [{ name: POSTGRES_PASSWORD, valueFrom: { secretKeyRef: { name: db, ${key} } } }]`
  })
const secretOf = (key: string): string => objectText("v1", "Secret", "db", `stringData: { ${key}: x }`)
const claimSpec = "spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }"
const restoreJob = objectText(
  "batch/v1",
  "Job",
  "restore",
  `spec: { template: { spec: { restartPolicy: Never, containers: [{ name: app, image: "restore:1", ${mounted("/data")} }], volumes: [{ name: v0, persistentVolumeClaim: { claimName: data } }] } } }`
)
const restorePod = objectText(
  "v1",
  "Pod",
  "restore",
  `spec: { containers: [{ name: app, image: "restore:1", ${mounted("/data")} }], volumes: [{ name: v0, persistentVolumeClaim: { claimName: data } }] }`
)
const manyNodesClaim = claim
  .replace("ReadWriteOnce", "ReadWriteMany")
  .replace("spec: {", "spec: { storageClassName: nfs,")
const snapshotClaim = claim.replace(
  "spec: {",
  "spec: { dataSource: { apiGroup: snapshot.storage.k8s.io, kind: VolumeSnapshot, name: nightly },"
)
const ofReplica = (manifest: string): string => manifest.replace("name: data", "name: v0-web-0")
const statefulPostgres = (replicas: number): string =>
  objectText(
    "apps/v1",
    "StatefulSet",
    "web",
    `spec: { replicas: ${replicas}, selector: { matchLabels: { app: web } }, template: { metadata: { labels: { app: web } }, spec: { containers: [{ name: app, image: "postgres:16", ${mounted(postgresData)} }] } }, volumeClaimTemplates: [{ metadata: { name: v0 }, ${claimSpec} }] }`
  )

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
    why: "the password of a database is empty",
    next: [web({ image: "mysql:8", container: "env: [{ name: MYSQL_ROOT_PASSWORD, value: '' }]" })],
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
    why: "its volume is new",
    next: [postgresOf("data"), claim],
    verdict: "stuck",
    reasons: failing(noPostgresPassword)
  },
  {
    why: "its claim exists, and its volume may have a database already",
    from: [claim],
    next: [postgresOf("data"), claim],
    verdict: "ships"
  },
  {
    why: "its volume is made from a snapshot, which may have a database",
    next: [postgresOf("data"), snapshotClaim],
    verdict: "ships"
  },
  {
    why: "its new volume is restored by an init container",
    next: [
      postgresOf("data", `initContainers: [{ name: restore, image: "restore:1", ${mounted(postgresData)} }]`),
      claim
    ],
    verdict: "ships"
  },
  {
    why: "its new volume is restored by a Job",
    next: [postgresOf("data"), claim, restoreJob],
    verdict: "ships"
  },
  {
    why: "its new volume is restored by a Pod",
    next: [postgresOf("data"), manyNodesClaim, restorePod],
    verdict: "ships"
  },
  {
    why: "it is a StatefulSet, whose volumes are new",
    next: [statefulPostgres(1)],
    verdict: "stuck",
    reasons: failing(noPostgresPassword)
  },
  {
    why: "the claim of its replica is made from a snapshot, which may have a database",
    next: [statefulPostgres(1), ofReplica(snapshotClaim)],
    verdict: "ships"
  },
  {
    why: "the new volume of its replica is restored by a Job",
    next: [
      statefulPostgres(1),
      ofReplica(claim),
      restoreJob.replace("claimName: data", "claimName: v0-web-0")
    ],
    verdict: "ships"
  },
  {
    why: "it is a StatefulSet whose volumes may have a database, but for that of a new replica",
    from: [statefulPostgres(1)],
    next: [statefulPostgres(2)],
    verdict: "stuck",
    reasons: failing(noPostgresPassword)
  },
  {
    why: "its ephemeral volume is new for each Pod",
    next: [
      web({
        image: "postgres:16",
        pod: `volumes: [{ name: v0, ephemeral: { volumeClaimTemplate: { ${claimSpec} } } }]`,
        container: mounted(postgresData)
      })
    ],
    verdict: "stuck",
    reasons: failing(noPostgresPassword)
  },
  {
    why: "PGDATA is in a volume that may have a database already",
    next: [
      web({
        image: "postgres:16",
        replicas: 1,
        pod: "volumes: [{ name: v0, persistentVolumeClaim: { claimName: data } }]",
        container: `env: [{ name: PGDATA, value: /data/db }], ${mounted("/data")}`
      })
    ],
    verdict: "ships"
  },
  {
    why: "its volume may have a database already",
    next: [postgresOf("data")],
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
    why: "the optional key of the password is missing in its Secret",
    next: [postgresWithSecret("key: password, optional: true"), secretOf("user")],
    verdict: "stuck",
    reasons: failing(noPostgresPassword)
  },
  {
    why: "the optional key of the password is in its Secret",
    next: [postgresWithSecret("key: password, optional: true"), secretOf("password")],
    verdict: "ships"
  },
  {
    why: "the optional Secret of the password is not in the files",
    next: [postgresWithSecret("key: password, optional: true")],
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
    verdict: "stuck",
    reasons: failing("image nginx:1.27 cannot write to /var/cache/nginx with readOnlyRootFilesystem: true")
  },
  {
    why: "nginx is not root",
    next: [web({ image: "nginx:1.27", pod: withContext("runAsUser: 1000") })],
    verdict: "stuck",
    reasons: failing("image nginx:1.27 cannot write to /var/cache/nginx and /var/run with runAsUser: 1000")
  },
  {
    why: "nginx is not root, and a file of its configuration may name other directories",
    next: [
      web({
        image: "nginx:1.27",
        pod: `${withContext("runAsUser: 1000")}\n      ${emptyDirs}`,
        container: mounted("/etc/nginx/conf.d", "/var/run")
      })
    ],
    verdict: "risky",
    reasons: [
      'container "app" may fail at once: image nginx:1.27 cannot write to /var/cache/nginx with runAsUser: 1000'
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
