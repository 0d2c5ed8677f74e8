import type * as Core from "kubernetes-types/core/v1.js"
import type { PodSpec } from "../kubernetes/meta/objects.ts"

const imagesOf = (names: string): RegExp =>
  new RegExp(
    String.raw`^(?:(?:docker\.io|mirror\.gcr\.io|public\.ecr\.aws\/docker)\/)?(?:${names})(?:[:@]|$)`,
    "u"
  )

const officialImages = (names: string): RegExp => imagesOf(String.raw`(?:library\/)?(?:${names})`)

/** How a container of an image ends that gets no command and no arguments. */
export interface ImageEnd {
  /** Whether a terminal keeps it running. */
  readonly needsTerminal: boolean
  readonly why: string
}

/** Undefined for an image that runs on. */
export const imageEndOf = (image: string): ImageEnd | undefined =>
  imageEnds.find(({ images }) => images.test(image))?.end

const endOfShell = { needsTerminal: true, why: "has nothing but a shell, and no command is given" }
const endOfPrompt = { needsTerminal: true, why: "waits for a terminal's input, and no command is given" }
const endOfProgram = { needsTerminal: false, why: "has a program that does its work and ends" }

/** Sources: the ENTRYPOINT and CMD of the images' Dockerfiles. */
const imageEnds: ReadonlyArray<{ readonly images: RegExp; readonly end: ImageEnd }> = [
  {
    images: officialImages(
      "almalinux|alpine|amazonlinux|archlinux|bash|busybox|centos|debian|fedora|oraclelinux|rockylinux|ubuntu"
    ),
    end: endOfShell
  },
  {
    images: officialImages(
      "amazoncorretto|buildpack-deps|eclipse-temurin|gcc|golang|julia|node|openjdk|perl|pypy|python|ruby|rust"
    ),
    end: endOfPrompt
  },
  // Tags with `fpm` and `apache` have a server, and a digest alone does not tell.
  { images: officialImages("php(?=$|:(?![^@]*(?:fpm|apache)))"), end: endOfPrompt },
  { images: officialImages("composer|hello-world|maven"), end: endOfProgram },
  {
    images: imagesOf(
      "alpine/git|alpine/helm|amazon/aws-cli|bitnami/kubectl|curlimages/curl|docker/whalesay|hashicorp/terraform|minio/mc|minio/minio"
    ),
    end: endOfProgram
  }
]

/** Images of Docker Hub's library whose Dockerfile has no `USER`. */
export const runsAsRoot = (image: string): boolean => imagesOfRoot.test(image)

const imagesOfRoot = officialImages(
  "almalinux|alpine|amazonlinux|bash|busybox|caddy|centos|debian|eclipse-temurin|fedora|golang|httpd|mariadb|mongo|" +
    "mysql|nginx|node|openjdk|perl|php|postgres|python|rabbitmq|redis|registry|rockylinux|ruby|rust|tomcat|traefik|" +
    "ubuntu|wordpress"
)

/** Why the process of an image fails at its start. Sources: the entry points of the images of Docker Hub's library. */
export const imageFailureOf = (
  container: Core.Container,
  spec: ImageContext,
  isEmpty: (volume: Core.Volume) => boolean
): string | undefined =>
  runsEntryPoint(container)
    ? (missingPassword(container, spec, isEmpty) ??
      missingCapabilities(container, spec) ??
      (mayBeConfigured(container) ? undefined : unwritablePaths(container, spec)))
    : undefined

/** Other programs of an image need no variables, capabilities or writable paths. */
const runsEntryPoint = ({ command = [], args: [firstArgument = "-"] = [] }: Core.Container): boolean =>
  command.length === 0 && firstArgument.startsWith("-")

type ImageContext = Pick<Partial<PodSpec>, "initContainers" | "securityContext" | "volumes">

const missingPassword = (
  container: Core.Container,
  { initContainers = [], volumes = [] }: ImageContext,
  isEmpty: (volume: Core.Volume) => boolean
): string | undefined => {
  const { image = "", env = [], envFrom = [], volumeMounts = [] } = container
  const database = databases.find(({ images }) => images.test(image))
  const setsPassword = env.some(
    ({ name, value = "", valueFrom }) =>
      database?.variables.test(name) === true && (value !== "" || valueFrom !== undefined)
  )
  if (database === undefined || envFrom.length > 0 || setsPassword) return undefined
  const { value: directory = database.directory } = env.find(({ name }) => name === "PGDATA") ?? {}
  const mount = volumeMounts.find(({ mountPath }) => covers(mountPath, directory))
  const volume = volumes.find(({ name }) => name === mount?.name)
  const isMountedBefore = initContainers.some((it) =>
    it.volumeMounts?.some(({ name }) => name === mount?.name)
  )
  // A volume may already hold a database, whose password is set.
  const mayHoldDatabase = volume === undefined || isMountedBefore || !isEmpty(volume)
  return mount !== undefined && mayHoldDatabase
    ? undefined
    : `image ${image} creates no database without ${database.variable} or the like`
}

const databases = [
  {
    images: officialImages("mysql"),
    variable: "MYSQL_ROOT_PASSWORD",
    variables: /^MYSQL_(?:ROOT_PASSWORD(?:_FILE)?|ALLOW_EMPTY_PASSWORD|RANDOM_ROOT_PASSWORD)$/u,
    directory: "/var/lib/mysql"
  },
  {
    images: officialImages("mariadb"),
    variable: "MARIADB_ROOT_PASSWORD",
    variables:
      /^(?:MARIADB|MYSQL)_(?:ROOT_PASSWORD(?:_FILE|_HASH)?|ALLOW_EMPTY(?:_ROOT)?_PASSWORD|RANDOM_ROOT_PASSWORD)$/u,
    directory: "/var/lib/mysql"
  },
  {
    images: officialImages("postgres"),
    variable: "POSTGRES_PASSWORD",
    variables: /^POSTGRES_(?:PASSWORD(?:_FILE)?|HOST_AUTH_METHOD)$/u,
    directory: "/var/lib/postgresql/data"
  }
]

const covers = (mountPath: string, directory: string): boolean =>
  `${directory}/`.startsWith(`${mountPath.replace(/\/+$/u, "")}/`) || mountPath.startsWith(`${directory}/`)

/** The images start as root, and then become another user. */
const missingCapabilities = (
  { image = "", securityContext }: Core.Container,
  { securityContext: ofPod }: ImageContext
): string | undefined => {
  const { runAsUser = 0, capabilities } = { ...ofPod, ...securityContext }
  if (runAsUser !== 0 || !(capabilities?.drop ?? []).includes("ALL")) return undefined
  const needed = imagesThatGiveUpRoot.find(({ images }) => images.test(image))?.needed ?? []
  const missing = needed.filter((name) => !(capabilities?.add ?? []).includes(name))
  return missing.length === 0
    ? undefined
    : `image ${image} starts as root and needs the capabilities ${missing.join(", ")}, which it drops`
}

const imagesThatGiveUpRoot = [
  { images: officialImages("nginx"), needed: ["CHOWN", "SETGID", "SETUID"] },
  { images: officialImages("mariadb|mongo|mysql|postgres|redis"), needed: ["SETGID", "SETUID"] }
]

/** Why the server of an image may be unable to write its files, if its configuration does not name others. */
export const maybeUnwritablePathsOf = (container: Core.Container, spec: ImageContext): string | undefined =>
  mayBeConfigured(container) ? unwritablePaths(container, spec) : undefined

const mayBeConfigured = ({ args = [], volumeMounts = [] }: Core.Container): boolean =>
  args.length > 0 || volumeMounts.some(({ mountPath }) => mountPath.startsWith("/etc/nginx"))

const unwritablePaths = (
  container: Core.Container,
  { securityContext: ofPod }: ImageContext
): string | undefined => {
  const { image = "", securityContext, volumeMounts = [] } = container
  const { runAsUser = 0, readOnlyRootFilesystem = false } = { ...ofPod, ...securityContext }
  if (!runsEntryPoint(container) || !imagesOfNginx.test(image)) return undefined
  if (runAsUser === 0 && !readOnlyRootFilesystem) return undefined
  const paths = volumeMounts.map(({ mountPath }) => mountPath.replace(/\/+$/u, ""))
  // A configuration of one's own may name other paths.
  if (["/etc/nginx", "/etc/nginx/nginx.conf"].some((path) => paths.includes(path))) return undefined
  const isMounted = (...directories: ReadonlyArray<string>): boolean =>
    paths.some((path) => directories.includes(path))
  const missing = [
    ...(isMounted("/var/cache/nginx", "/var/cache", "/var") ? [] : ["/var/cache/nginx"]),
    ...(isMounted("/var/run", "/run", "/var", "/run/nginx.pid") ? [] : ["/var/run"])
  ]
  const why = runAsUser === 0 ? "readOnlyRootFilesystem: true" : `runAsUser: ${runAsUser}`
  return missing.length === 0
    ? undefined
    : `image ${image} cannot write to ${missing.join(" and ")} with ${why}`
}

const imagesOfNginx = officialImages("nginx")
