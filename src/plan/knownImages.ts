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
  // Tags with `fpm` and `apache` have a server.
  {
    images: /^(?:docker\.io\/)?(?:library\/)?php(?:@|$|:(?![^@]*(?:fpm|apache)))/u,
    end: endOfPrompt
  },
  { images: officialImages("composer|hello-world|maven"), end: endOfProgram },
  {
    images: imagesOf(
      "alpine/git|alpine/helm|amazon/aws-cli|bitnami/kubectl|curlimages/curl|docker/whalesay|hashicorp/terraform"
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
