package probe

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"errors"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/preflight"
)

// try is what a capability does.
type try = func(ctx context.Context, o *Object) error

// stored uploads with the options of the session. Some servers store the framing of contents that are sent in chunks.
func stored(ctx context.Context, o *Object) (err error) {
	key := o.Key + ".stored"
	id, err := o.put(ctx, key, Text)
	if err != nil {
		return err
	}
	defer o.Remove(ctx, id, &err)
	text, err := o.Read(ctx, key)
	if err == nil {
		if problem, _ := preflight.Compare(preflight.Server(o.S3.Dialect().Name()), []byte(text), []byte(Text)); problem != "" {
			err = o.ignored("%s", problem)
		}
	}
	return err
}

// multiDelete has several objects deleted by one request. Some servers confirm that, and delete none.
func multiDelete(ctx context.Context, o *Object) (err error) {
	key := o.Key + ".many"
	if _, err := o.put(ctx, key, Text); err != nil {
		return err
	}
	defer o.removeNew(ctx, key, &err)
	many := ops.Deletion{Objects: []ops.ObjectID{{Key: key}, {Key: key + ".none"}}}
	c := o.Call()
	c.Key = ""
	switch err := ops.DeleteMany(ctx, o.S3, c, &many); {
	case err != nil && len(many.Failed) > 0: // it knows the request, and a run reports what it may not delete
		return nil
	case err != nil:
		return err
	}
	if there := ops.Stat(ctx, o.S3, o.callOn(ops.ObjectID{Key: key})); there == nil {
		return o.ignored("the server confirms the deletion of several objects by one request, and does not delete them")
	}
	return nil
}

// copied has the object copied. Some servers ignore the source and make an empty object.
func copied(ctx context.Context, o *Object) (err error) {
	key := o.Key + ".copy"
	c := o.Call()
	c.Key = key
	err = ops.Copy(ctx, o.S3, c, ops.CopySource(o.Bucket, ops.ObjectID{Key: o.Key}))
	if err != nil && !c.MaybeSent {
		return err
	}
	defer o.Remove(ctx, ops.ObjectID{Key: key, Version: c.VersionID}, &err)
	if err != nil {
		return err
	}
	return o.holds(ctx, key, "the server confirms a copy, but does not make it")
}

// composed joins the object with itself.
func composed(ctx context.Context, o *Object) (err error) {
	c := o.Call()
	c.Key, c.Size = o.Key+".composed", 2*int64(len(Text))
	err = ops.Compose(ctx, o.S3, c, []string{o.Key, o.Key})
	if err != nil && !c.MaybeSent {
		return err
	}
	defer o.removeNew(ctx, c.Key, &err)
	if err != nil {
		return err
	}
	return o.holdsText(ctx, c.Key, Text+Text, "the server confirms that it joins objects, and stores something else")
}

// appended appends. Most servers ignore the offset and overwrite the object.
func appended(ctx context.Context, o *Object) (err error) {
	key, middle := o.Key+".append", len(Text)/2
	defer o.Remove(ctx, ops.ObjectID{Key: key}, &err)
	if err := ops.Append(ctx, o.S3, o.Upload(key, Text[:middle]), 0); err != nil {
		return err
	}
	if err := ops.Append(ctx, o.S3, o.Upload(key, Text[middle:]), int64(middle)); err != nil {
		return err
	}
	return o.holds(ctx, key, "the server overwrites objects instead of appending")
}

func form(ctx context.Context, o *Object) (err error) {
	key := o.Key + ".form"
	c := o.Upload(key, Text)
	err = ops.Post(ctx, o.S3, c)
	if err != nil && !c.MaybeSent {
		return err
	}
	defer o.removeNew(ctx, key, &err)
	if err != nil {
		return err
	}
	return o.holds(ctx, key, "the server confirms an upload by a form, and stores something else")
}

func signedPut(ctx context.Context, o *Object) (err error) {
	key := o.Key + ".signed"
	c := o.Upload(key, Text)
	c.Auth = s3.AuthQuery
	if err := preflight.PutWithGrace(ctx, o.S3, c); err != nil {
		return err
	}
	defer o.Remove(ctx, ops.ObjectID{Key: key, Version: c.VersionID}, &err)
	return o.holds(ctx, key, "the server confirms an upload by a signed URL, and stores something else")
}

// snowball has an archive extracted. Most servers store it as it is.
func snowball(ctx context.Context, o *Object) (err error) {
	archive, file := o.Key+".tar", o.Key+".file"
	var text bytes.Buffer
	a := tar.NewWriter(&text)
	if err = a.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: file, Size: int64(len(Text)), Mode: 0o644}); err == nil {
		_, err = a.Write([]byte(Text))
	}
	if err = errors.Join(err, a.Close()); err != nil {
		return err
	}
	c := o.Upload(archive, text.String())
	err = ops.PutArchive(ctx, o.S3, c)
	if err != nil && !c.MaybeSent {
		return err
	}
	defer o.removeNew(ctx, archive, &err) // it is there if the server does not extract it
	defer o.removeNew(ctx, file, &err)
	if err != nil {
		return err
	}
	return o.holds(ctx, file, "the server does not extract archives (an extension of MinIO)")
}

// fanOut uploads contents that the server has to store twice.
func fanOut(ctx context.Context, o *Object) (err error) {
	keys := []string{o.Key + ".1", o.Key + ".2"}
	c := o.Upload(o.Key, Text)
	err = ops.FanOut(ctx, o.S3, c, keys)
	if err != nil && !c.MaybeSent {
		return err
	}
	for _, key := range keys {
		defer o.removeNew(ctx, key, &err)
	}
	if err != nil && s3.AsError(err).Class != s3.ClassBadResponse {
		return err
	}
	for _, key := range keys {
		if err := o.holds(ctx, key, "the server does not fan out uploads (an extension of MinIO)"); err != nil {
			return err
		}
	}
	return err
}

// zipped reads a file out of an archive.
func zipped(ctx context.Context, o *Object) (err error) {
	archive := o.Key + ".zip"
	var text, got bytes.Buffer
	a := zip.NewWriter(&text)
	f, err := a.Create("file")
	if err == nil {
		_, err = f.Write([]byte(Text))
	}
	if err = errors.Join(err, a.Close()); err != nil {
		return err
	}
	id, err := o.put(ctx, archive, text.String())
	if err != nil {
		return err
	}
	defer o.Remove(ctx, id, &err)
	c := o.callOn(ops.ObjectID{Key: archive + "/file"})
	c.Into = AtMost(&got, longest)
	err = ops.GetZipped(ctx, o.S3, c)
	if s3.IsNotFound(err) || err == nil && got.String() != Text {
		err = o.ignored("the server does not read zip archives (an extension of MinIO)")
	}
	return err
}
