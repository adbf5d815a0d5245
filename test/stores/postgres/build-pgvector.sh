#!/bin/sh
# Makes a copy of the PostgreSQL server that is installed here, with the extension pgvector in it; needs gcc, tar and Debian's apt.
#
# usage: build-pgvector.sh <folder of the server's programs> <folder to make>
#
# pgvector is built from Debian's source package. Everything is downloaded into a temporary folder with settings of its own: the
# system's packages, and what apt knows of them, stay as they are. PostgreSQL finds its files by where its programs are.
set -eu
programs=$1
target=$2
version=$(basename "$(dirname "$programs")")
keys=/usr/share/keyrings/debian-archive-keyring.gpg

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir -p lists/partial cache/archives/partial
. /etc/os-release
cat > sources.list <<END
deb-src [signed-by=$keys] http://deb.debian.org/debian trixie main
deb [signed-by=$keys] http://deb.debian.org/debian $VERSION_CODENAME main
deb [signed-by=$keys] http://security.debian.org/debian-security $VERSION_CODENAME-security main
END
apt() {
  apt-get -qq -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$work/lists" \
    -o Dir::Cache="$work/cache" -o APT::Sandbox::User="$(id -un)" "$@"
}
apt update
apt source --download-only pgvector
apt download "postgresql-server-dev-$version"
tar xzf pgvector_*.orig.tar.gz
dpkg-deb -x "postgresql-server-dev-${version}"_*.deb headers

cd pgvector-*/
include=$work/headers/usr/include/postgresql
gcc -O2 -fPIC -shared -I"$include/$version/server" -I"$include/internal" -o vector.so src/*.c -lm
release=$(sed -n "s/^default_version = '\(.*\)'/\1/p" vector.control)

made=$work/made
mkdir -p "$made/lib/postgresql/$version" "$made/share/postgresql"
cp -r "$programs" "$made/lib/postgresql/$version/bin"
cp -r "/usr/lib/postgresql/$version/lib" "$made/lib/postgresql/$version/lib"
rm -rf "$made/lib/postgresql/$version/lib/bitcode"
cp -rL "/usr/share/postgresql/$version" "$made/share/postgresql/$version"
cp vector.so "$made/lib/postgresql/$version/lib/"
cp vector.control "$made/share/postgresql/$version/extension/"
cp sql/vector.sql "$made/share/postgresql/$version/extension/vector--$release.sql"
chmod -R a+rX "$made"
chmod a+rx "$work"

mkdir -p "$(dirname "$target")"
cp -r "$made" "$target.$$"
mv -T "$target.$$" "$target" 2>/dev/null || rm -rf "$target.$$" # another process was faster
test -e "$target/lib/postgresql/$version/bin/postgres"
