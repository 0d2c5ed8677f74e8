const officialImages = (names: string): RegExp =>
  new RegExp(String.raw`^(?:docker\.io\/)?(?:library\/)?(?:${names})(?:[:@]|$)`, "u")

export const hasOnlyShell = (image: string): boolean => imagesWithShellOnly.test(image)

const imagesWithShellOnly = officialImages("alpine|busybox|centos|debian|fedora|ubuntu")

/** Images of Docker Hub's library whose Dockerfile has no `USER`. */
export const runsAsRoot = (image: string): boolean => imagesOfRoot.test(image)

const imagesOfRoot = officialImages(
  "almalinux|alpine|amazonlinux|bash|busybox|caddy|centos|debian|eclipse-temurin|fedora|golang|httpd|mariadb|mongo|" +
    "mysql|nginx|node|openjdk|perl|php|postgres|python|rabbitmq|redis|registry|rockylinux|ruby|rust|tomcat|traefik|" +
    "ubuntu|wordpress"
)
