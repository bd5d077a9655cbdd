#!/usr/bin/env bash
# S3Proxy (Java), from Maven Central, with objects in its memory.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

version=4.1.0
home=$cache/s3proxy-$version

install_server() {
	[ ! -d "$home/lib" ] || return 0
	need java mvn
	say "installing $version"
	mkdir -p "$home"
	rm -rf "$home/lib.part"
	# By itself 4.1.0 comes with a jackson-annotations that is too old for its jackson-databind; it would not start.
	cat >"$home/pom.xml" <<-EOF
		<project xmlns="http://maven.apache.org/POM/4.0.0">
		  <modelVersion>4.0.0</modelVersion>
		  <groupId>test</groupId>
		  <artifactId>s3proxy-libraries</artifactId>
		  <version>1</version>
		  <packaging>pom</packaging>
		  <dependencies>
		    <dependency>
		      <groupId>org.gaul</groupId>
		      <artifactId>s3proxy</artifactId>
		      <version>$version</version>
		    </dependency>
		    <dependency>
		      <groupId>com.fasterxml.jackson.core</groupId>
		      <artifactId>jackson-annotations</artifactId>
		      <version>2.22</version>
		    </dependency>
		  </dependencies>
		</project>
	EOF
	mvn -q -B -f "$home/pom.xml" dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$home/lib.part"
	mv "$home/lib.part" "$home/lib"
}

run_server() {
	cat >"$2/s3proxy.conf" <<-EOF
		s3proxy.endpoint=http://127.0.0.1:$1
		s3proxy.authorization=aws-v2-or-v4
		s3proxy.identity=$WARP_TEST_ACCESS
		s3proxy.credential=$WARP_TEST_SECRET
		jclouds.provider=transient-nio2
		jclouds.identity=unused
		jclouds.credential=unused
	EOF
	cat >"$2/logback.xml" <<-EOF
		<configuration>
		  <appender name="log" class="ch.qos.logback.core.ConsoleAppender">
		    <encoder><pattern>%d %p %m%n</pattern></encoder>
		  </appender>
		  <root level="warn"><appender-ref ref="log"/></root>
		</configuration>
	EOF
	exec java -Xmx2g -Dlogback.configurationFile="$2/logback.xml" -cp "$home/lib/*" \
		org.gaul.s3proxy.Main --properties "$2/s3proxy.conf"
}

verbs "$@"
